#include "cli/gpu_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <vector>

#include "core/error.h"

namespace neuopt::cli {
namespace {

constexpr const char* kVisible = "CUDA_VISIBLE_DEVICES";
constexpr std::string_view kPrefix = "cuda:";

bool is_digits(std::string_view text) {
  return !text.empty() && text.size() < 6 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// The N of "cuda:N".
std::optional<std::size_t> index_in(const std::string& device) {
  if (!device.starts_with(kPrefix) || !is_digits(device.substr(kPrefix.size()))) return std::nullopt;
  return std::stoul(device.substr(kPrefix.size()));
}

/// The devices /dev/nvidia0, /dev/nvidia1, ...
std::size_t installed_gpus() {
  std::error_code failure;
  const auto is_gpu = [](const auto& entry) {
    const std::string name = entry.path().filename().string();
    return name.starts_with("nvidia") && is_digits(name.substr(6));
  };
  const std::filesystem::directory_iterator devices("/dev", failure);
  return failure ? 0 : static_cast<std::size_t>(std::count_if(begin(devices), end(devices), is_gpu));
}

/// What CUDA calls the GPUs that may be seen.
std::vector<std::string> names_of_visible() {
  std::vector<std::string> names;
  if (const char* list = std::getenv(kVisible)) {
    std::string rest = list;
    while (!rest.empty()) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      if (comma == 0 || rest.starts_with('-')) break;  // CUDA ends its list at the first that is none
      names.push_back(rest.substr(0, comma));
      rest.erase(0, comma + 1);
    }
  } else {
    for (std::size_t gpu = 0; gpu < installed_gpus(); ++gpu) names.push_back(std::to_string(gpu));
  }
  return names;
}

}  // namespace

int visible_gpus() { return static_cast<int>(names_of_visible().size()); }

std::string choose_gpu(const std::string& device) {
  const std::optional<std::size_t> index = index_in(device);
  if (!index) return device;
  const std::vector<std::string> names = names_of_visible();
  if (*index >= names.size())
    throw ResourceError(fmt::format("device {}: {} GPUs can be seen here, counted from 0", device, names.size()));
  setenv(kVisible, names[*index].c_str(), 1);
  return "cuda";
}

std::string check_trainer(const std::string& device) {
  constexpr std::array kNames{"auto", "cpu", "cuda"};
  if (std::find(kNames.begin(), kNames.end(), device) != kNames.end() || index_in(device)) return "";
  return fmt::format("{} not in {{auto,cpu,cuda,cuda:N}}", device);
}

std::string check_device(const std::string& device) {
  if (device == "reference" || check_trainer(device).empty()) return "";
  return fmt::format("{} not in {{auto,cpu,cuda,cuda:N,reference}}", device);
}

}  // namespace neuopt::cli
