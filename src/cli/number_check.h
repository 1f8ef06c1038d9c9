// What a number on the command line may be. Every option that takes one says so through these checks: "nan", "inf" and
// what is out of range are refused with the range in the message.
#pragma once

#include <CLI/CLI.hpp>
#include <limits>

#include "search/settings.h"

namespace neuopt::cli {

using search::kMostCount;
using search::kMostThreads;

/// A whole number in decimal digits, `least` and `most` included. For transform(), not check(): it leaves no zeros
/// before the others, with which CLI11 would take the digits for octal ones.
CLI::Validator whole_number(long least, long most = kMostCount);

/// A finite number, `least` and `most` included.
CLI::Validator number_in(double least, double most);

/// A finite number.
CLI::Validator finite_number();

/// A finite number above 0, `most` included.
CLI::Validator number_above_zero(double most = std::numeric_limits<double>::max());

}  // namespace neuopt::cli
