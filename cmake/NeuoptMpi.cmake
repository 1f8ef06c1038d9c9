# Decides whether neuopt-mpi is built, and sets NEUOPT_WITH_MPI: neuopt under mpirun becomes that program.
set(NEUOPT_WITH_MPI OFF)
if(NEUOPT_MPI STREQUAL "ON" OR (NEUOPT_MPI STREQUAL "AUTO" AND NOT NEUOPT_SANITIZE AND NOT NEUOPT_PORTABLE))
  set(MPI_CXX_SKIP_MPICXX ON)  # the C++ bindings that MPI 3 has no more
  find_package(MPI QUIET COMPONENTS CXX)
  if(MPI_CXX_FOUND)
    set(NEUOPT_WITH_MPI ON)
  elseif(NEUOPT_MPI STREQUAL "ON")
    message(FATAL_ERROR "NEUOPT_MPI is ON, but no MPI was found")
  endif()
endif()
message(STATUS "neuopt: runs on several machines: ${NEUOPT_WITH_MPI}")

# The files of LibTorch, for checks: a check cannot link its targets, as those of a Python package name others that are
# not there.
function(neuopt_find_torch_files result)
  set(files)
  foreach(name torch torch_cpu torch_cuda c10 c10_cuda)
    find_library(NEUOPT_FILE_${name} ${name} HINTS ${TORCH_INSTALL_PREFIX}/lib)
    mark_as_advanced(NEUOPT_FILE_${name})
    if(NEUOPT_FILE_${name})
      list(APPEND files ${NEUOPT_FILE_${name}})
    endif()
  endforeach()
  set(${result} ${files} PARENT_SCOPE)
endfunction()

# neuopt_add_process_group(TARGET NAME HEADER) adds a process group of LibTorch to the trainer under mpirun. LibTorch's
# header needs one of the library behind it, which may be of another version, or missing.
function(neuopt_add_process_group target name header)
  string(TOUPPER ${name} upper)
  string(TOLOWER ${name} lower)
  find_path(NEUOPT_${upper}_DIR ${header}
    HINTS ${TORCH_INSTALL_PREFIX}/include ${TORCH_INSTALL_PREFIX}/../nvidia/${lower}/include)
  if(NEUOPT_${upper}_DIR)
    include(CheckCXXSourceCompiles)
    set(includes ${NEUOPT_${upper}_DIR} ${CUDAToolkit_INCLUDE_DIRS})
    set(CMAKE_REQUIRED_INCLUDES ${TORCH_INCLUDE_DIRS} ${includes})
    set(CMAKE_REQUIRED_FLAGS "${TORCH_CXX_FLAGS}")
    neuopt_find_torch_files(CMAKE_REQUIRED_LIBRARIES)
    set(CMAKE_REQUIRED_LINK_OPTIONS -Wl,--unresolved-symbols=ignore-in-shared-libs)
    set(CMAKE_REQUIRED_DEFINITIONS -DUSE_C10D_${upper})
    check_cxx_source_compiles("#include <torch/csrc/distributed/c10d/ProcessGroup${name}.hpp>
      int main() { c10d::ProcessGroup${name} group(c10::intrusive_ptr<c10d::Store>{}, 0, 1); }" NEUOPT_HAVE_${upper})
  endif()
  set(found OFF)
  if(NEUOPT_HAVE_${upper})
    set(found ON)
    target_sources(${target} PRIVATE mpi/group_${lower}.cpp)
    target_include_directories(${target} SYSTEM PRIVATE ${includes})
    target_compile_definitions(${target} PRIVATE NEUOPT_HAVE_${upper}=1 USE_C10D_${upper}=1)
  endif()
  message(STATUS "neuopt: training through ${name}: ${found}")
endfunction()
