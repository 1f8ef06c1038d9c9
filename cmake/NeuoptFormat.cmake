# Targets format and format-check over every source of ours.
find_program(CLANG_FORMAT NAMES clang-format-14 clang-format)
if(CLANG_FORMAT)
  file(GLOB_RECURSE neuopt_formatted
    ${PROJECT_SOURCE_DIR}/src/*.h ${PROJECT_SOURCE_DIR}/src/*.cpp ${PROJECT_SOURCE_DIR}/src/*.cu ${PROJECT_SOURCE_DIR}/src/*.cuh
    ${PROJECT_SOURCE_DIR}/tests/*.h ${PROJECT_SOURCE_DIR}/tests/*.cpp ${PROJECT_SOURCE_DIR}/bench/*.cpp
    ${PROJECT_SOURCE_DIR}/fuzz/*.cpp ${PROJECT_SOURCE_DIR}/examples/*.cpp
    ${PROJECT_SOURCE_DIR}/python/*.h ${PROJECT_SOURCE_DIR}/python/*.cpp)
  add_custom_target(format COMMAND ${CLANG_FORMAT} -i ${neuopt_formatted})
  add_custom_target(format-check COMMAND ${CLANG_FORMAT} --dry-run -Werror ${neuopt_formatted})
endif()
