// A search as JSON lines, for pictures and viewers. The first line is the header, one line follows for each step of
// each copy, the last one is the result:
//
//   {"type":"header","version":1,"name":"..","problem":"cvrp","nodes":N,"depots":D,"x":[..],"y":[..],"demand":[..],
//    "node_of":[..],"copies":A,"seed":S,"stall":10,"augment_start":true,"model":"..","device":"..","start":[{..}]}
//   {"type":"step","copy":0,"step":1,"cost":9.1,"best":9.1,"best_eps":9.1,"feasible":true,"violation":0,"k":3,
//    "augmented":false,"chosen":[..],"tour":[..],"polished":[..]}
//   {"type":"result","cost":7.9,"feasible":true,"steps":1000,"copies":8,"stopped_by":"steps","seconds":0.4}
//
// "polished" is there when local search found the best tour after this step; "best" and "best_eps" are null while
// there is none. Costs are in the units of the file. Tours, chosen nodes, x, y and demand use the search's numbering:
// D copies of the depot, then the customers; node_of gives the node of the file, from 0. x and y lie in the unit
// square. With time windows the header also has "windows", a pair for each search node, "service", "rounding" and
// "side", the length of the unit square's side, in the units of the file.
#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <string>

#include "core/file.h"
#include "search/observer.h"

namespace neuopt::search {

/// What the header says besides the instance.
struct SearchLogInfo {
  std::string model;
  std::string device;
  bool tours = false;  // write the chosen nodes and the tour of each step as well
};

class SearchLogWriter final : public SearchObserver {
 public:
  /// The file takes its name when it is complete: a search that is refused leaves an older one as it was. Throws what
  /// check_writable() of core/file.h does. A line that cannot be written ends the log but not the search: finish()
  /// tells.
  SearchLogWriter(const std::string& path, const Instance& instance, const SolveOptions& options, SearchLogInfo info);

  void begin(const SearchInstance& instance, std::span<const std::vector<int>> starts) override;
  void step(const policy::StepRecord& record) override;
  /// Writes the result, after a header when there was no search (a tiny instance), and completes the file. Throws
  /// ResourceError when any line could not be written.
  void finish(const SolveResult& result);

 private:
  void begin_at(const Solution& solution);
  void write_line(std::string line);
  /// Writes to the file unless that failed before; keeps the first failure for finish().
  void attempt(const std::function<void()>& write);

  std::string path_;
  std::optional<GrowingFile> file_;
  const Instance& instance_;
  const SolveOptions& options_;
  SearchLogInfo info_;
  double cost_scale_ = 1;
  bool begun_ = false;
  std::exception_ptr failure_;  // why the first line that could not be written could not
};

}  // namespace neuopt::search
