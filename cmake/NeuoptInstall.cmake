# What `cmake --install` leaves under its prefix: the programs, libneuopt.a, the headers that neuopt.h needs, and a package
# for find_package(neuopt).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(neuopt_package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/neuopt)

install(TARGETS neuopt_library EXPORT neuopt-targets)
install(EXPORT neuopt-targets NAMESPACE neuopt:: DESTINATION ${neuopt_package_folder})
if(NEUOPT_PROGRAMS)
  install(TARGETS neuopt)
endif()
if(NEUOPT_WITH_TRAIN)
  install(TARGETS neuopt-train OPTIONAL)  # the solver alone can be built and installed
endif()
if(NEUOPT_WITH_MPI)
  install(TARGETS neuopt-mpi OPTIONAL)
  if(NEUOPT_WITH_TRAIN)
    install(TARGETS neuopt-train-mpi OPTIONAL)
  endif()
endif()

# The headers are found when they are installed: neuopt.h, and all that it includes.
install(CODE "set(from \"${PROJECT_SOURCE_DIR}/src\")
set(to \"\${CMAKE_INSTALL_PREFIX}/include/neuopt\")")
install(SCRIPT ${PROJECT_SOURCE_DIR}/cmake/InstallHeaders.cmake)

list(TRANSFORM neuopt_packages REPLACE "(.+)" "find_dependency(\\1)\n" OUTPUT_VARIABLE neuopt_dependencies)
list(JOIN neuopt_dependencies "" neuopt_dependencies)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/package/neuopt-config.cmake @ONLY CONTENT [=[
# find_package(neuopt), then link neuopt::neuopt and include "neuopt.h".
include(CMakeFindDependencyMacro)
@neuopt_dependencies@include(${CMAKE_CURRENT_LIST_DIR}/neuopt-targets.cmake)
]=])
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/neuopt-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/neuopt-config.cmake ${PROJECT_BINARY_DIR}/package/neuopt-config-version.cmake
  DESTINATION ${neuopt_package_folder})
