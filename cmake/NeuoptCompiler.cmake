# Language level, warnings and sanitizers shared by every target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT NEUOPT_PORTABLE)
  set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)  # installed programs find CUDA and LibTorch where the build found them
endif()
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

add_library(neuopt_options INTERFACE)
target_include_directories(neuopt_options INTERFACE ${PROJECT_SOURCE_DIR}/src)
target_compile_features(neuopt_options INTERFACE cxx_std_20)
target_compile_options(neuopt_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor>
  $<$<AND:$<BOOL:${NEUOPT_WERROR}>,$<COMPILE_LANGUAGE:CXX>>:-Werror>
  # The same seed gives the same answer with every compiler: no contraction behind our back.
  $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>)

# neuopt_compile_quickly(TARGET): for code that runs little, whose headers take longer to optimise than it ever runs.
function(neuopt_compile_quickly target)
  target_compile_options(${target} PRIVATE $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-O1>)
endfunction()

if(NEUOPT_SANITIZE)
  target_compile_options(neuopt_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${NEUOPT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all>)
  target_link_options(neuopt_options INTERFACE -fsanitize=${NEUOPT_SANITIZE})
endif()
if(NEUOPT_FUZZ)
  target_compile_options(neuopt_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
