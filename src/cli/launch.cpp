#include "cli/launch.h"

#include <charconv>
#include <cstdlib>
#include <cstring>

namespace neuopt::cli {
namespace {

std::optional<int> number_of(const char* variable) {
  const char* text = std::getenv(variable);
  int number = 0;
  if (text == nullptr || std::from_chars(text, text + std::strlen(text), number).ec != std::errc{}) return std::nullopt;
  return number;
}

}  // namespace

std::optional<Launch> launch() {
  struct Names {
    const char *mark, *rank, *size;
  };
  constexpr Names kLaunchers[] = {
      {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
      {"PMI_RANK", "PMI_RANK", "PMI_SIZE"},
      {"PMIX_RANK", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
  };
  for (const auto& [mark, rank_name, size_name] : kLaunchers) {
    if (!number_of(mark)) continue;
    const std::optional<int> rank = number_of(rank_name), size = number_of(size_name);
    if (rank && size) return Launch{.rank = *rank, .size = *size};
  }
  return std::nullopt;
}

}  // namespace neuopt::cli
