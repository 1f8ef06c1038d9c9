// A set on several ranks: what it is of, whether all ranks see the same, and the run.
#include <fmt/format.h>

#include <memory>

#include "cli/console.h"
#include "cli/gpu_choice.h"
#include "cli/mpi/coordinator.h"
#include "cli/mpi/identity.h"
#include "cli/mpi/meeting.h"
#include "cli/ranks.h"
#include "cli/run_identity.h"
#include "cli/stop_signal.h"
#include "core/file.h"

namespace neuopt::cli {
namespace mpi {
namespace {

using Json = nlohmann::ordered_json;

/// All ranks find the same difference, if there is one.
void compare_ranks(const Json& ours) {
  std::vector<Json> all;
  for (const std::string& text : ranks().gather(ours.dump())) all.push_back(Json::parse(text));
  for (std::size_t rank = 1; rank < all.size(); ++rank)
    if (const auto found = difference(all[rank], all[0]))
      throw InputError(fmt::format("rank {} has another {} than rank 0: {}, not {}", rank, found->field, found->ours,
                                   found->theirs));
}

/// Of several GPUs each rank of a machine takes the next.
CommonOptions with_own_gpu(CommonOptions common) {
  const int gpus = visible_gpus();
  const bool any = common.device == "auto" || common.device == "cuda";
  if (any && gpus > 1) choose_gpu(fmt::format("cuda:{}", ranks().local_rank() % gpus));  // auto stays auto
  return common;
}

std::unique_ptr<RunFile> open_file(const RankedSet& set, const Json& identity) {
  FileGuard guard = guard_search(set.paths, set.common);
  if (set.output.empty() || set.output == kStandardOutput) {
    if (set.resume) throw InputError("--resume continues a file, name it with --output");
    return nullptr;
  }
  if (set.output.ends_with('/')) throw InputError(set.output, 0, "under mpirun --output is a file of JSON lines");
  guard.writes(set.output, "--output");
  guard.writes(identity_path(set.output), "--output");
  check_writable(set.output);
  return std::make_unique<RunFile>(set.output, identity, set.instances, set.resume);
}

std::optional<SetRun> solve_together(RankedSet set) {
  const bool leads = ranks().rank() == 0;
  Solver solver = open_solver(with_own_gpu(set.common), set.instances.front().kind,
                              leads && !set.common.quiet ? warn_on_stderr() : WarningSink{});
  const Models models = models_of(set, solver);
  const Json what = identity(set, models, solver.device());
  meet();
  compare_ranks(what);
  Part part{.set = set, .solver = solver, .options = set.options, .gpu = what["device"] == "cuda"};
  if (part.options.threads == 0) part.options.threads = ranks().share_of_cores();
  const std::unique_ptr<RunFile> file = leads ? open_file(set, what) : nullptr;
  meet();
  begin_work();
  if (!leads) {
    work(part);
    return std::nullopt;
  }
  SetRun run;
  const double begin = process_seconds();
  run.results = coordinate(part, file.get());
  run.seconds = process_seconds() - begin;
  run.device = solver.device();
  run.model = models.names;
  run.checksum = models.checksums;
  run.instances = std::move(set.instances);
  summarize_run(run, set.options);
  if (ranks().size() > 1) run.device += fmt::format(", {} ranks", ranks().size());
  return run;
}

}  // namespace
}  // namespace mpi

const RunOnRanks run_on_ranks = mpi::solve_together;

}  // namespace neuopt::cli
