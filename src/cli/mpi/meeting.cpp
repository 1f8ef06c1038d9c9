#include "cli/mpi/meeting.h"

#include <fmt/format.h>

#include <exception>

#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/ranks.h"
#include "core/error.h"

namespace neuopt::cli {
namespace mpi {
namespace {

const Communicator* communicator = nullptr;
bool working = false;

/// Another rank has failed.
struct FailedElsewhere {};

int run_together(const Job& job) {
  const Communicator ours;
  communicator = &ours;
  try {
    return job();
  } catch (const FailedElsewhere&) {
    return 0;  // else mpirun might end the rank that has the word before it has spoken
  } catch (const std::exception& error) {
    if (working) end_launch(error_text(error), exit_code(error));
    if (ours.first_with(true) != ours.rank()) return 0;
    if (ours.rank() > 0) say(fmt::format("neuopt: on rank {}:\n", ours.rank()));
    throw;
  }
}

}  // namespace

const Communicator& ranks() { return *communicator; }

void meet() {
  if (ranks().first_with(false)) throw FailedElsewhere{};
}

void begin_work() { working = true; }

void end_launch(const std::string& message, int code) {
  say(ranks().rank() == 0 ? fmt::format("neuopt: {}\n", message)
                          : fmt::format("neuopt: rank {}: {}\n", ranks().rank(), message));
  ranks().abort(code);
}

}  // namespace mpi

Job on_ranks(Job job) {
  return [job] { return mpi::run_together(job); };
}

void refuse_several_ranks(const std::string& path) {
  if (mpi::ranks().size() > 1) throw InputError(path, 0, "one instance, mpirun is for sets");
}

}  // namespace neuopt::cli
