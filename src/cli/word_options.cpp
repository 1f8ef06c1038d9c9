#include "cli/word_options.h"

#include <map>

#include "core/error.h"

namespace neuopt::cli {

void add_precision_option(CLI::App& command, std::string& precision, const std::string& text) {
  static const std::map<std::string, std::string> kOldNames = {{"single", "fp32"}, {"double", "fp64"}};
  command.add_option("--precision", precision, text)
      ->transform([](const std::string& name) { return kOldNames.contains(name) ? kOldNames.at(name) : name; })
      ->check(CLI::IsMember({"fp64", "fp32", "tf32", "bf16", "fp16"}));
}

CLI::Option* add_output_option(CLI::App& command, std::string& output, const std::string& text) {
  return command.add_option("--output", output, text + "; -: standard output")->transform([](const std::string& path) {
    return path == "-" ? std::string(kStandardOutput) : path;
  });
}

void refuse_two_on_standard_output(bool json, const std::string& output) {
  if (json && output == kStandardOutput)
    throw InputError("--json prints on standard output, name a file with --output or leave --json out");
}

}  // namespace neuopt::cli
