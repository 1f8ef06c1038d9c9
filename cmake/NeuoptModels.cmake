# Embeds models/*.safetensors into neuopt_search, with a table that names them. Works for no models at all.
include(NeuoptEmbed)
file(GLOB neuopt_models CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/models/*.safetensors)
list(SORT neuopt_models)
neuopt_embed(model NAME_WLE ${neuopt_models})

set(generated ${PROJECT_BINARY_DIR}/generated/bundled_models.cpp)
file(CONFIGURE OUTPUT ${generated} @ONLY CONTENT [=[
// Generated from models/*.safetensors by cmake/NeuoptModels.cmake.
#include "search/bundled_models.h"

#include <vector>

@data@
extern "C" {
@declarations@}

namespace neuopt::search {

std::span<const BundledModel> bundled_models() {
  [[maybe_unused]] const auto bytes = [](const char* begin, const char* end) {
    return std::string_view(begin, static_cast<std::size_t>(end - begin));
  };
  static const std::vector<BundledModel> models = {
@entries@  };
  return models;
}

}  // namespace neuopt::search
]=])
neuopt_embedding_source(neuopt_search ${generated} ${neuopt_models})
