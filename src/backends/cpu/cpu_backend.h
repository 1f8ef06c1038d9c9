// The fast backend for host processors: single precision (or bf16 products), vector instructions, all cores.
#pragma once

#include <memory>
#include <string>

#include "policy/backend.h"

namespace neuopt::backends::cpu {

/// `threads` is used by `evaluate`; 0: all the machine offers. `instruction_set`: see kernels_for.
/// SessionOptions::precision: "" or "fp32"; "bf16" where the processor has such products.
std::unique_ptr<policy::Backend> make_cpu_backend(int threads, const std::string& instruction_set);

/// With the best instruction set of this processor.
std::unique_ptr<policy::Backend> make_cpu_backend(int threads = 0);

}  // namespace neuopt::backends::cpu
