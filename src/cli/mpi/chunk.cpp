#include "cli/mpi/chunk.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "core/parallel.h"
#include "search/session_size.h"

namespace neuopt::cli::mpi {

using Json = nlohmann::json;

namespace {

/// Instances that keep a rank busy.
int enough_instances(const RankedSet& set, const SolveOptions& options, bool gpu) {
  constexpr double kCopiesOnGpu = 16'000;  // of 100 nodes: a full device
  int nodes = 1;
  for (const Instance& instance : set.instances) nodes = std::max(nodes, instance.size);
  const int copies = gpu ? search::scaled_copies(kCopiesOnGpu, nodes)
                         : search::responsive_copies(nodes, resolve_threads(options.threads));
  return std::max(1, std::max(copies, options.session_copies) / options.copies);
}

}  // namespace

Schedule::Schedule(const RankedSet& set, const SolveOptions& options, int first, int ranks, bool gpu)
    : next_(first),
      end_(static_cast<int>(set.instances.size())),
      ranks_(ranks),
      least_(1),
      largest_(enough_instances(set, options, gpu)),
      whole_shares_(options.deadline.has_value()) {
  const int share = (end_ - first + ranks - 1) / ranks;
  if (gpu) least_ = std::clamp(largest_ / 16, 1, std::max(1, share));  // fewer would take it about as long
  if (whole_shares_) largest_ = share;
}

Chunk Schedule::next() {
  const int left = end_ - next_;
  const int wanted = whole_shares_ ? largest_ : std::clamp(left / (2 * ranks_), least_, largest_);
  const Chunk chunk{.first = next_, .count = std::min(left, wanted)};
  next_ += chunk.count;
  return chunk;
}

std::vector<Answer> solve_chunk(const RankedSet& set, Solver& solver, const SolveOptions& options, Chunk chunk,
                                const std::atomic<bool>* stop, const std::function<void(double)>& rate,
                                const WarningSink& note) {
  SolveOptions part = options;
  part.first_place = static_cast<std::uint32_t>(chunk.first);
  SolveCallbacks callbacks;
  callbacks.stop = stop;
  callbacks.note = note;
  callbacks.progress = [&](const Progress& progress) { rate(progress.steps_per_second); };
  const std::span<const Instance> all = set.instances;
  std::vector<Answer> answers;
  for (SolveResult& result :
       solver.solve(all.subspan(static_cast<std::size_t>(chunk.first), static_cast<std::size_t>(chunk.count)), part,
                    callbacks)) {
    if (result.stopped_by == StopReason::interrupt) continue;
    result.instance += chunk.first;
    std::string line = set.line(all[static_cast<std::size_t>(result.instance)], result);
    result.solution = {};
    answers.push_back({.result = std::move(result), .line = std::move(line)});
  }
  return answers;
}

std::string pack(const std::vector<Answer>& answers) {
  Json list = Json::array();
  for (const auto& [result, line] : answers)
    list.push_back({result.instance, result.cost, result.feasible, result.gap ? Json(*result.gap) : Json(),
                    result.curve, result.steps, result.copies, result.model, result.checksum, result.device,
                    Json::binary(std::vector<std::uint8_t>(line.begin(), line.end()))});
  std::string bytes;
  Json::to_cbor(list, bytes);
  return bytes;
}

std::vector<Answer> unpack_answers(std::string_view bytes) {
  std::vector<Answer> answers;
  for (const Json& item : Json::from_cbor(bytes)) {
    const auto& line = item[10].get_binary();
    SolveResult result;
    result.instance = item[0];
    result.cost = item[1];
    result.feasible = item[2];
    if (!item[3].is_null()) result.gap = item[3].get<double>();
    result.curve = item[4].get<std::vector<double>>();
    result.steps = item[5];
    result.copies = item[6];
    result.model = item[7];
    result.checksum = item[8];
    result.device = item[9];
    answers.push_back({.result = std::move(result), .line = std::string(line.begin(), line.end())});
  }
  return answers;
}

std::string pack(Chunk chunk) { return std::string(reinterpret_cast<const char*>(&chunk), sizeof(chunk)); }

Chunk unpack_chunk(std::string_view bytes) {
  Chunk chunk;
  std::memcpy(&chunk, bytes.data(), std::min(bytes.size(), sizeof(chunk)));
  return chunk;
}

}  // namespace neuopt::cli::mpi
