// What a page may ask for, read from JSON and checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "problem/instance.h"
#include "search/solve.h"

namespace neuopt::viewer {

inline constexpr std::size_t kMaxBody = std::size_t{16} << 20;  // bytes of a request
inline constexpr int kMaxNodes = 5000;                          // of an instance: a page has to draw it
inline constexpr int kMaxCopies = 256;
inline constexpr long kMaxSteps = 10'000'000;
inline constexpr double kMinSpeed = 1e-3, kMaxSpeed = 1e6;

struct GenerateRequest {
  ProblemKind kind = ProblemKind::tsp;
  int size = 0;  // nodes or customers, 2 to kMaxNodes
  std::uint64_t seed = 1;
};

struct StartRequest {
  long steps = 1000;
  int copies = 1;
  std::uint64_t seed = 1;
  double speed = 0;                                     // steps in a second; 0: as fast as it goes
  bool paused = false;                                  // waits before the first step
  search::StartKind start = search::StartKind::random;  // there is most to watch
};

struct ControlRequest {
  enum class Action { none, pause, resume, step, stop };
  Action action = Action::none;
  std::optional<double> speed;  // steps in a second; 0: as fast as it goes
};

/// Each throws InputError that names the member and what was expected.
/// {"name": ...}
std::string parse_example(std::string_view body);
GenerateRequest parse_generate(std::string_view body);
StartRequest parse_start(std::string_view body);
ControlRequest parse_control(std::string_view body);

}  // namespace neuopt::viewer
