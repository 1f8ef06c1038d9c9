// The trainer's half of neuopt check.
#pragma once

#include <string>
#include <vector>

namespace neuopt::cli {

/// Prints the largest error of each quantity of each trace; returns the exit code. plain: without fused kernels;
/// precision: fp32 or fp16.
int check_training(const std::vector<std::string>& traces, const std::string& device, bool plain,
                   const std::string& precision, bool json);

}  // namespace neuopt::cli
