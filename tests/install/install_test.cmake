# Installs the built tree, builds examples/ against what was installed and nothing else, and compares the answers. Run as
#   cmake -DSOURCE= -DBUILD= -DCONFIG= -DGENERATOR= -DCOMPILER= -DEXAMPLE= -DWORK= -P install_test.cmake
# EXAMPLE is the program that the project's own build made of the same source, WORK a folder for everything made here.
cmake_policy(VERSION 3.25)
set(prefix ${WORK}/prefix)

# run(NAME COMMAND...) runs a command, keeps what it printed in the variable NAME, and ends the test where it fails.
function(run name)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nended with ${code}\n${output}${errors}")
  endif()
  set(${name} "${output}" PARENT_SCOPE)
endfunction()

# expect_without(TEXT PART WHAT) ends the test where the part is in the text.
function(expect_without text part what)
  string(FIND "${text}" "${part}" position)
  if(NOT position EQUAL -1)
    message(FATAL_ERROR "${what}: ${part}")
  endif()
endfunction()

# 1. Install.
file(REMOVE_RECURSE ${WORK})
run(log ${CMAKE_COMMAND} --install ${BUILD} --config ${CONFIG} --prefix ${prefix})
foreach(folder cli train viewer backends)
  if(EXISTS ${prefix}/include/neuopt/${folder})
    message(FATAL_ERROR "headers of src/${folder} are installed, which neuopt.h should not need")
  endif()
endforeach()
file(GLOB_RECURSE package ${prefix}/*.cmake)
foreach(path IN LISTS package)
  file(READ ${path} text)
  expect_without("${text}" "${SOURCE}" "${path} names the source tree")
endforeach()

# 2. Build the examples from a copy, so that nothing beside them is in reach.
file(COPY ${SOURCE}/examples DESTINATION ${WORK})
run(log ${CMAKE_COMMAND} -S ${WORK}/examples -B ${WORK}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER}
  -DCMAKE_BUILD_TYPE=${CONFIG} -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF
  -DCMAKE_EXPORT_COMPILE_COMMANDS=ON)
file(READ ${WORK}/build/compile_commands.json commands)
expect_without("${commands}" "${SOURCE}/src" "the compiler is told of the source tree")
run(log ${CMAKE_COMMAND} --build ${WORK}/build --config ${CONFIG})

# 3. The installed program with its models, and the same answers on instances it makes: small ones, for slow builds.
run(models ${prefix}/bin/neuopt info)
if(NOT models MATCHES "tsp100" OR NOT models MATCHES "cvrp100")
  message(FATAL_ERROR "the installed program lists these models:\n${models}")
endif()
set(problems tsp cvrp)
set(endings tsp vrp)
foreach(problem ending IN ZIP_LISTS problems endings)
  set(instance ${WORK}/small.${ending})
  run(log ${prefix}/bin/neuopt generate ${problem} --size 20 --seed 7 --output ${instance})
  run(expected ${EXAMPLE} ${instance})
  run(found ${WORK}/build/solve_example ${instance})
  if(NOT found STREQUAL expected OR NOT found MATCHES "^cost [0-9.]+ by [^\n]+\n[0-9 ]+\n")
    message(FATAL_ERROR "${problem}: expected\n${expected}found\n${found}")
  endif()
endforeach()

# 4. The other way, inside another project: only the library, and nothing searched for that it does not need. Configured
# alone, since the build would be that of all of it again.
run(log ${CMAKE_COMMAND} -S ${SOURCE}/tests/install/subproject -B ${WORK}/subproject -G ${GENERATOR}
  -DCMAKE_CXX_COMPILER=${COMPILER} -DNEUOPT_SOURCE=${SOURCE})
