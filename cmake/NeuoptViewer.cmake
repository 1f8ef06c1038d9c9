# Embeds the pages of viewer/ and the instances of examples/ into neuopt_viewer, and decides whether its server is built: it needs cpp-httplib.
include(NeuoptEmbed)
set(neuopt_pages ${PROJECT_SOURCE_DIR}/viewer)
file(GLOB neuopt_assets CONFIGURE_DEPENDS ${neuopt_pages}/*.html ${neuopt_pages}/*.css ${neuopt_pages}/*.js
  ${neuopt_pages}/*.svg ${PROJECT_SOURCE_DIR}/examples/*.tsp ${PROJECT_SOURCE_DIR}/examples/*.vrp
  ${PROJECT_SOURCE_DIR}/examples/*.tour ${PROJECT_SOURCE_DIR}/examples/*.sol)
list(SORT neuopt_assets)
neuopt_embed(asset NAME ${neuopt_assets})

set(generated ${PROJECT_BINARY_DIR}/generated/viewer_assets.cpp)
file(CONFIGURE OUTPUT ${generated} @ONLY CONTENT [=[
// Generated from viewer/ and examples/ by cmake/NeuoptViewer.cmake.
#include "viewer/assets.h"

#include <vector>

@data@
extern "C" {
@declarations@}

namespace neuopt::viewer {

std::span<const Asset> assets() {
  const auto bytes = [](const char* begin, const char* end) {
    return std::string_view(begin, static_cast<std::size_t>(end - begin));
  };
  static const std::vector<Asset> table = {
@entries@  };
  return table;
}

}  // namespace neuopt::viewer
]=])
neuopt_embedding_source(neuopt_viewer ${generated} ${neuopt_assets})

find_package(PkgConfig QUIET)
if(PkgConfig_FOUND AND NOT NEUOPT_PORTABLE AND NOT NEUOPT_VIEWER STREQUAL "OFF")
  pkg_check_modules(httplib QUIET IMPORTED_TARGET cpp-httplib>=0.11)
endif()
set(neuopt_server ${PROJECT_SOURCE_DIR}/src/viewer/server.cpp ${PROJECT_SOURCE_DIR}/src/viewer/guarded_server.cpp)
set(neuopt_no_server ${PROJECT_SOURCE_DIR}/src/viewer/server_missing.cpp)
if(httplib_FOUND)
  # What it is built upon differs between versions of the library.
  set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
  try_compile(neuopt_httplib_fits ${CMAKE_CURRENT_BINARY_DIR}/httplib
    SOURCES ${PROJECT_SOURCE_DIR}/src/viewer/guarded_server.cpp
    CMAKE_FLAGS -DINCLUDE_DIRECTORIES=${PROJECT_SOURCE_DIR}/src
    LINK_LIBRARIES PkgConfig::httplib
    CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON)
  unset(CMAKE_TRY_COMPILE_TARGET_TYPE)
  if(NOT neuopt_httplib_fits)
    message(STATUS "neuopt: cpp-httplib ${httplib_VERSION} is none that the viewer knows; 0.11 is")
  endif()
endif()
if(neuopt_httplib_fits)
  set(NEUOPT_WITH_VIEWER ON)
  target_link_libraries(neuopt_viewer PRIVATE PkgConfig::httplib)
  set_source_files_properties(${neuopt_no_server} PROPERTIES HEADER_FILE_ONLY ON)
else()
  set(NEUOPT_WITH_VIEWER OFF)
  set_source_files_properties(${neuopt_server} PROPERTIES HEADER_FILE_ONLY ON)
endif()
message(STATUS "neuopt: viewer: ${NEUOPT_WITH_VIEWER}")
