// What solving one instance and evaluating a set have in common: how the copies search.
#pragma once

#include <cstdint>
#include <string>

#include "policy/backend.h"

namespace neuopt::search {

struct SearchSettings {
  int copies = 1;             // A: searches of one instance side by side, each with its own augmentations
  int stall_limit = 10;       // T_D2A: steps without a new best before a copy draws an augmentation; 0: never
  bool augment_start = true;  // copies begin with a random augmentation
  std::uint64_t seed = 1;
  int threads = 0;         // 0: all the machine offers
  std::string precision;   // "": the backend's default
  int session_copies = 0;  // copies in one session of the backend; 0: a fitting number. No influence on the answers
};

/// Throws InputError when there are no copies or a number is negative.
void check_settings(const SearchSettings& settings);

/// What a session of the backend is told.
policy::SessionOptions session_options(const SearchSettings& settings, const policy::Model& model);

/// Throws InputError when there is no model or it is for another problem.
void check_model(const policy::Model* model, ProblemKind problem);

}  // namespace neuopt::search
