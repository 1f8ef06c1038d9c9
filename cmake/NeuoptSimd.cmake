# Instruction sets beyond the baseline, each for one file of kernels that is called only where the processor has it.
set(simd_folder ${PROJECT_SOURCE_DIR}/src/backends/cpu)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(avx512 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # g++ 12 takes the undefined lanes inside its own AVX-512 headers for uninitialised variables.
    list(APPEND avx512 -Wno-uninitialized -Wno-maybe-uninitialized)
  endif()
  set_source_files_properties(${simd_folder}/kernels_avx512.cpp PROPERTIES COMPILE_OPTIONS "${avx512}")
  set_source_files_properties(${simd_folder}/kernels_avx512_bf16.cpp PROPERTIES COMPILE_OPTIONS "${avx512};-mavx512bf16")
  set_source_files_properties(${simd_folder}/kernels_amx.cpp
    PROPERTIES COMPILE_OPTIONS "${avx512};-mavx512bf16;-mamx-tile;-mamx-bf16")
  set_source_files_properties(${simd_folder}/kernels_avx2.cpp PROPERTIES COMPILE_OPTIONS "-mavx2;-mfma")
endif()
