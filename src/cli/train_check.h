// What neuopt check compares with recorded traces. The trainer is one such subject; in neuopt itself its checks are
// handed over to the trainer's program.
#pragma once

#include <functional>
#include <string>

#include "backends/trace/discrepancies.h"

namespace neuopt::cli {

struct CheckSubject {
  std::function<std::string()> name;                                              // of what ran last
  std::function<backends::trace::Discrepancies(const std::string& trace)> check;  // replays a trace
};

/// plain: without fused kernels; precision: fp32 or fp16.
CheckSubject trainer_subject(const std::string& device, bool plain, const std::string& precision);

}  // namespace neuopt::cli
