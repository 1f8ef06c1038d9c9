# Embeds models/*.safetensors into neuopt_search: the bytes go into read-only data as they are, without a compiler
# having to parse them, and a table names them. Works for no models at all.
file(GLOB neuopt_models CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/models/*.safetensors)
list(SORT neuopt_models)

set(data "")
set(declarations "")
set(entries "")
set(index 0)
foreach(path IN LISTS neuopt_models)
  get_filename_component(name ${path} NAME_WLE)
  string(APPEND data "asm(R\"(
.pushsection .rodata
.balign 64
.hidden neuopt_model_${index}
.globl neuopt_model_${index}
neuopt_model_${index}:
.incbin \"${path}\"
.hidden neuopt_model_${index}_end
.globl neuopt_model_${index}_end
neuopt_model_${index}_end:
.byte 0
.popsection
)\");\n")
  string(APPEND declarations "extern const char neuopt_model_${index}[];\nextern const char neuopt_model_${index}_end[];\n")
  string(APPEND entries "      {\"${name}\", bytes(neuopt_model_${index}, neuopt_model_${index}_end)},\n")
  math(EXPR index "${index} + 1")
endforeach()

set(generated ${CMAKE_BINARY_DIR}/generated/bundled_models.cpp)
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
set_source_files_properties(${generated} PROPERTIES OBJECT_DEPENDS "${neuopt_models}")
target_sources(neuopt_search PRIVATE ${generated})
