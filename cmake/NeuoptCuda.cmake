# Decides whether the CUDA kernels are built, and sets NEUOPT_WITH_CUDA and the target neuopt_cuda_options.
set(NEUOPT_WITH_CUDA OFF)
if(NOT NEUOPT_CUDA STREQUAL "OFF")
  include(CheckLanguage)
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX} AND EXISTS /usr/local/cuda/bin/nvcc)
    set(CMAKE_CUDA_COMPILER /usr/local/cuda/bin/nvcc)
  endif()
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES "80;90" CACHE STRING "CUDA architectures")
    endif()
    enable_language(CUDA)
    if(NEUOPT_PORTABLE)
      set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
    endif()
    find_package(CUDAToolkit REQUIRED)
    set(NEUOPT_WITH_CUDA ON)
    add_library(neuopt_cuda_options INTERFACE)
    target_compile_definitions(neuopt_cuda_options INTERFACE NEUOPT_WITH_CUDA=1)
    target_compile_options(neuopt_cuda_options INTERFACE
      # The language level as a plain flag: CMake 3.25 does not know C++20 for nvcc.
      $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20 --expt-relaxed-constexpr --extended-lambda -lineinfo>
      $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>)
    target_link_libraries(neuopt_cuda_options INTERFACE
      $<IF:$<BOOL:${NEUOPT_PORTABLE}>,CUDA::cudart_static,CUDA::cudart> CUDA::cublas CUDA::cublasLt)
    # Costs and coordinates to the last bit as on the host: no contraction where the search itself is computed.
    set_source_files_properties(${CMAKE_SOURCE_DIR}/src/backends/cuda/search_step.cu PROPERTIES COMPILE_OPTIONS -fmad=false)
  elseif(NEUOPT_CUDA STREQUAL "ON")
    message(FATAL_ERROR "NEUOPT_CUDA is ON, but no CUDA compiler was found")
  endif()
endif()
message(STATUS "neuopt: CUDA kernels: ${NEUOPT_WITH_CUDA}")
