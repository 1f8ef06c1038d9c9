# Decides whether the trainer is built, and sets NEUOPT_WITH_TRAIN and the target neuopt_train.
set(NEUOPT_WITH_TRAIN OFF)
if(NOT NEUOPT_TRAIN STREQUAL "OFF")
  # A CUDA build of Torch rewrites the CUDA flags and architectures of the whole project; ours stay as they are.
  set(neuopt_saved_cuda_flags "${CMAKE_CUDA_FLAGS}")
  set(neuopt_saved_cuda_architectures "${CMAKE_CUDA_ARCHITECTURES}")
  if(NOT DEFINED TORCH_CUDA_ARCH_LIST)
    set(TORCH_CUDA_ARCH_LIST "9.0")
  endif()
  find_package(Torch QUIET)
  set(CMAKE_CUDA_FLAGS "${neuopt_saved_cuda_flags}")
  if(NEUOPT_WITH_CUDA)
    set(CMAKE_CUDA_ARCHITECTURES "${neuopt_saved_cuda_architectures}")
  endif()
  if(Torch_FOUND AND CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND Torch_VERSION VERSION_LESS 2)
    message(STATUS "neuopt: clang cannot read the headers of LibTorch ${Torch_VERSION} as C++20")
    set(Torch_FOUND FALSE)
  endif()
  if(Torch_FOUND)
    set(NEUOPT_WITH_TRAIN ON)
    neuopt_module(train DEPENDS neuopt_search)
    target_include_directories(neuopt_train SYSTEM PUBLIC ${TORCH_INCLUDE_DIRS})
    # LibTorch of a Python package exports a std::filesystem of its own, of another compiler. Whoever links the trainer
    # finds the compiler's first: a shared one at run time, an archive after all that asks for it and before LibTorch.
    target_link_options(neuopt_train INTERFACE
      "SHELL:-Wl,--push-state,--no-as-needed -lstdc++ -Wl,--pop-state")
    target_link_libraries(neuopt_train PUBLIC stdc++ ${TORCH_LIBRARIES} PRIVATE nlohmann_json::nlohmann_json)
    # LibTorch may bring headers of another version of fmt: with the code in the headers, either one is complete.
    target_compile_definitions(neuopt_train PUBLIC NEUOPT_WITH_TRAIN=1 FMT_HEADER_ONLY=1)
    # Torch's headers take six seconds in each file without this; all of torch/torch.h takes more even with it.
    target_precompile_headers(neuopt_train PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:<torch/types.h$<ANGLE-R>>"
      "$<$<COMPILE_LANGUAGE:CXX>:<torch/csrc/autograd/custom_function.h$<ANGLE-R>>")
    if(TARGET torch_cuda)
      target_compile_definitions(neuopt_train PUBLIC NEUOPT_TORCH_CUDA=1)
    endif()
  elseif(NEUOPT_TRAIN STREQUAL "ON")
    message(FATAL_ERROR "NEUOPT_TRAIN is ON, but no usable LibTorch was found (set CMAKE_PREFIX_PATH)")
  endif()
endif()
message(STATUS "neuopt: trainer: ${NEUOPT_WITH_TRAIN}")
