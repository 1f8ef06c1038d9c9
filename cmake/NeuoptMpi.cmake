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
