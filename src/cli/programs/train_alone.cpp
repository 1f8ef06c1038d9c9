// The trainer without mpirun.
#include <fmt/format.h>

#include "cli/team.h"
#include "core/error.h"

namespace neuopt::cli {

int train_together(const std::string& exchange, const TeamJob& job) {
  if (exchange != "auto") throw InputError(fmt::format("--exchange {} is for the ranks of mpirun", exchange));
  return job(std::make_shared<train::Team>());
}

}  // namespace neuopt::cli
