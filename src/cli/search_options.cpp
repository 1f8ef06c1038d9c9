#include "cli/search_options.h"

namespace neuopt::cli {

void add_search_options(CLI::App& command, CommonOptions& options, search::SearchSettings& settings) {
  command.add_option("--model", options.model, "Model file, or the name of a bundled model [the nearest bundled one]");
  command
      .add_option("--augment", settings.copies,
                  "Copies of the instance searched side by side, each with its own augmentations; the paper's D2A=A")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command
      .add_option("--stall", settings.stall_limit,
                  "Steps without a new best before a copy draws a new augmentation; 0: never")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command.add_flag("--no-augment", options.no_augment,
                   "The network sees the coordinates as they are: no augmentation at the start nor later");
  command.add_option("--seed", settings.seed, "The same seed gives the same answer")->capture_default_str();
  command.add_option("--threads", settings.threads, "Threads; 0: all the machine offers")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  command.add_option("--device", options.device, "auto, cpu, cuda, or reference (plain loops in double, slow)")
      ->check(CLI::IsMember({"auto", "cpu", "cuda", "reference"}))
      ->capture_default_str();
  command.add_option("--precision", settings.precision, "Arithmetic of the network, where the device offers a choice");
  command
      .add_option("--batch", settings.session_copies,
                  "Copies that the device works on together; 0: a fitting number. The answer does not depend on it")
      ->check(CLI::Range(0, 10'000'000))
      ->capture_default_str();
  command.add_flag("--json", options.json, "Print one JSON object");
  command.add_flag("--quiet", options.quiet, "No progress and no notes");
  command.add_flag("--verbose", options.verbose, "Progress even when standard error is no terminal");
}

void apply_no_augment(const CommonOptions& options, search::SearchSettings& settings) {
  if (!options.no_augment) return;
  settings.augment_start = false;
  settings.stall_limit = 0;
}

bool looks_like_test_set(std::string_view bytes) {
  return bytes.starts_with("PK\x03\x04") || bytes.starts_with('\x80');
}

bool looks_like_instance(std::string_view bytes) {
  const std::string_view head = bytes.substr(0, 4096);
  return head.find("DIMENSION") != head.npos || head.find("NODE_COORD_SECTION") != head.npos;
}

}  // namespace neuopt::cli
