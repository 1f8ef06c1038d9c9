// A small search log, line by line.
#pragma once

#include <string>

namespace neuopt::samples {

inline constexpr const char* kHeader =
    R"({"type":"header","version":1,"name":"a","problem":"cvrp","nodes":12,"depots":2,"copies":1,"model":"m",)"
    R"("start":[{"cost":9.5,"tour":[]}]})"
    "\n";

inline std::string step_line(int step, double cost, double best, bool feasible, int k = 2) {
  return R"({"type":"step","copy":0,"step":)" + std::to_string(step) + R"(,"cost":)" + std::to_string(cost) +
         R"(,"best":)" + std::to_string(best) + R"(,"best_eps":)" + std::to_string(best) + R"(,"feasible":)" +
         (feasible ? "true" : "false") + R"(,"violation":0,"k":)" + std::to_string(k) + R"(,"augmented":false})" + "\n";
}

/// Six steps: infeasible, infeasible, feasible three times, and a new best.
inline std::string small_log() {
  return kHeader + step_line(1, 9, 9.5, false, 3) + step_line(2, 8, 9.5, false, 3) + step_line(3, 9.6, 9.5, true, 1) +
         step_line(4, 9.7, 9.5, true) + step_line(5, 9.8, 9.5, true) + step_line(6, 8.5, 8.5, true) +
         R"({"type":"result","cost":8.5})" + "\n";
}

}  // namespace neuopt::samples
