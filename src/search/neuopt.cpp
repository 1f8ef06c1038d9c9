#include "neuopt.h"

#include "search/exact.h"

namespace neuopt {

SolveResult solve(const Instance& instance, const SolveOptions& options, const SolveCallbacks& callbacks,
                  const std::string& model, const std::string& device) {
  const auto backend = search::open_device(device, options.threads);
  search::ChosenModel chosen;
  if (!search::is_tiny(instance)) {
    chosen = search::choose_model(model, instance);
    search::note_distance(*chosen.model, instance, callbacks.note);
  }
  return search::solve(instance, chosen.model, *backend, options, callbacks);
}

}  // namespace neuopt
