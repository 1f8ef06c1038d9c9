// The trainer without mpirun.
#include "cli/team.h"

namespace neuopt::cli {

int train_together(const std::string&, const TeamJob& job) { return job(std::make_shared<train::Team>()); }

}  // namespace neuopt::cli
