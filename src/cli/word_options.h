// Options that several commands spell alike.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/file_overrides.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace neuopt::cli {

/// --precision, in one vocabulary for all devices: fp64, fp32, tf32, bf16, fp16. "single" and "double" are read too.
/// What a device has of these it says itself; `text` is the help.
void add_precision_option(CLI::App& command, std::string& precision, const std::string& text);

/// An option that names a file to write. "-" and all that names standard output become kStandardOutput (core/file.h),
/// so that commands compare with that alone.
CLI::Option* add_file_option(CLI::App& command, const std::string& name, std::string& path, const std::string& text);
/// --output.
CLI::Option* add_output_option(CLI::App& command, std::string& output, const std::string& text);

/// A check for options that name a file to write: neither nothing, as from a variable of the shell that is not set, nor
/// "-" where standard output is no choice.
std::string file_name(const std::string& path);

/// A check for options that name something else, a folder or a model: not nothing, which would pass as not given.
std::string any_name(const std::string& name);

/// --problem, one or several.
void add_problems_option(CLI::App& command, std::vector<std::string>& problems);

/// --seed, a whole number.
CLI::Option* add_seed_option(CLI::App& command, std::uint64_t& seed, const std::string& text);

/// --rounding, which takes the place of what files say or mean by EUC_2D.
void add_rounding_option(CLI::App& command, FileOverrides& overrides);

/// --vehicles, the bound on routes in place of the file's.
void add_vehicles_option(CLI::App& command, FileOverrides& overrides);

/// Throws InputError when --json and the output of an option would share standard output.
void refuse_two_on_standard_output(bool json, const std::string& option, const std::string& output);

}  // namespace neuopt::cli
