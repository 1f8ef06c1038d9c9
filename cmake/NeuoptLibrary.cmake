# neuopt::neuopt, the library as others link it: one archive of all modules made so far, one header (neuopt.h). It asks of
# its users C++20 and the libraries it calls; our warnings and headers of others stay with us.
get_property(neuopt_archived GLOBAL PROPERTY neuopt_modules)
list(TRANSFORM neuopt_archived REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE neuopt_objects)
add_library(neuopt_library STATIC ${neuopt_objects})
add_library(neuopt::neuopt ALIAS neuopt_library)
set_target_properties(neuopt_library PROPERTIES OUTPUT_NAME neuopt EXPORT_NAME neuopt LINKER_LANGUAGE CXX)
target_compile_features(neuopt_library PUBLIC cxx_std_20)
target_include_directories(neuopt_library PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<INSTALL_INTERFACE:include/neuopt>)

# What the archive calls: the targets, and the packages that have them, for those who find it installed.
set(neuopt_packages Threads)
target_link_libraries(neuopt_library PRIVATE Threads::Threads)
if(NOT NEUOPT_PORTABLE)  # else it is all in fmt's headers
  list(APPEND neuopt_packages fmt)
  target_link_libraries(neuopt_library PRIVATE fmt::fmt)
endif()
if(ZLIB_FOUND)
  list(APPEND neuopt_packages ZLIB)
  target_link_libraries(neuopt_library PRIVATE ZLIB::ZLIB)
endif()
if(NEUOPT_WITH_CUDA)
  list(APPEND neuopt_packages CUDAToolkit)
  target_link_libraries(neuopt_library PRIVATE ${neuopt_cuda_libraries})
endif()
if(NEUOPT_SANITIZE)
  target_compile_options(neuopt_library PUBLIC -fsanitize=${NEUOPT_SANITIZE})
  target_link_options(neuopt_library PUBLIC -fsanitize=${NEUOPT_SANITIZE})
endif()
