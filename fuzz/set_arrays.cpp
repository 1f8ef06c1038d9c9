// The same for any arrays, whatever their shapes and values: an archive's checksums let changed bytes of its arrays
// hardly ever through.
//
// The first byte has the numbers of instances and of customers. The bits of the second say which arrays there are. The
// third says which of them has not the shape that it should have, and whether its values are bytes, counted in eighths,
// or eight bytes each. All others are values, 0 where they end.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "check_test_set.h"
#include "io/npz.h"

namespace {

using namespace neuopt;

class Values {
 public:
  Values(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}

  std::uint8_t byte() {
    std::uint8_t value = 0;
    take(&value, 1);
    return value;
  }

  std::vector<double> array(const Shape& shape, bool whole_words) {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) count *= extent;
    std::vector<double> values(static_cast<std::size_t>(count));
    for (double& value : values)
      if (whole_words)
        take(&value, sizeof value);
      else
        value = byte() / 8.0;
    return values;
  }

 private:
  void take(void* to, std::size_t bytes) {
    if (bytes > left_) return;
    std::memcpy(to, data_, bytes);
    data_ += bytes;
    left_ -= bytes;
  }

  const std::uint8_t* data_;
  std::size_t left_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Values values(data, size);
  const std::uint8_t extents = values.byte(), present = values.byte(), manner = values.byte();
  const std::int64_t count = 1 + extents % 4, nodes = 1 + extents / 4 % 16;
  const struct {
    const char* name;
    Shape shape;
  } arrays[] = {{"locs", {count, nodes, 2}},
                {"depot", {count, 2}},
                {"demand", {count, nodes}},
                {"capacity", {count}},
                {"time_windows", {count, nodes + 1, 2}},
                {"service_time", {count, nodes}},
                {"cost", {count}}};
  NamedTensors tensors;
  for (std::size_t i = 0; i < std::size(arrays); ++i) {
    if ((present >> i & 1) == 0) continue;
    Shape shape = arrays[i].shape;
    if (manner % 8 == i + 1) --shape.back();
    tensors.emplace(arrays[i].name, Tensor(shape, values.array(shape, manner >= 128)));
  }
  fuzz::check_test_set(format_npz(tensors));
  return 0;
}
