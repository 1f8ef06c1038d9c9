// neuopt check --train: the trainer against recorded traces.
#include "cli/train_check.h"

#include "train/check_trace.h"

namespace neuopt::cli {

CheckSubject trainer_subject(const std::string& device, bool plain, const std::string& precision) {
  return {[device] { return "trainer on " + device; },
          [=](const std::string& trace) { return train::check_trace(trace, device, plain, precision); }};
}

}  // namespace neuopt::cli
