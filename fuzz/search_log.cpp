// Any bytes are a recorded search, a training log or an evaluation, or an InputError; what was read can be drawn.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/error.h"
#include "report/result_figures.h"
#include "report/search_figures.h"

namespace {

template <class Make>
void try_to_draw(const Make& make) {
  try {
    neuopt::report::draw_chart(make());
  } catch (const neuopt::InputError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try_to_draw([&] { return neuopt::report::trajectory_chart(neuopt::parse_search_log(bytes, "fuzz")); });
  try_to_draw([&] { return neuopt::report::exchange_size_chart(neuopt::parse_search_log(bytes, "fuzz")); });
  try_to_draw([&] { return neuopt::report::infeasible_before_best_chart(neuopt::parse_search_log(bytes, "fuzz")); });
  try_to_draw([&] { return neuopt::report::gap_chart({{"fuzz", std::string(bytes)}}); });
  try_to_draw([&] { return neuopt::report::training_chart(bytes, "fuzz"); });
  return 0;
}
