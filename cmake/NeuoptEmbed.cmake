# neuopt_embed(PREFIX NAME|NAME_WLE FILE...) prepares C++ source that holds the bytes of files: they go into read-only
# data as they are, without a compiler having to parse them. Sets in the caller, for a file to be configured:
#   data          the bytes, under the symbols neuopt_PREFIX_0 ...
#   declarations  of those symbols, for extern "C"
#   entries       initialisers {"name", bytes(begin, end)}, one for each file, named with or without its extension
function(neuopt_embed prefix name_part)
  set(data "")
  set(declarations "")
  set(entries "")
  set(index 0)
  foreach(path IN LISTS ARGN)
    get_filename_component(name ${path} ${name_part})
    set(symbol neuopt_${prefix}_${index})
    string(APPEND data "asm(R\"(
.pushsection .rodata
.balign 64
.hidden ${symbol}
.globl ${symbol}
${symbol}:
.incbin \"${path}\"
.hidden ${symbol}_end
.globl ${symbol}_end
${symbol}_end:
.byte 0
.popsection
)\");\n")
    string(APPEND declarations "extern const char ${symbol}[];\nextern const char ${symbol}_end[];\n")
    string(APPEND entries "      {\"${name}\", bytes(${symbol}, ${symbol}_end)},\n")
    math(EXPR index "${index} + 1")
  endforeach()
  set(data "${data}" PARENT_SCOPE)
  set(declarations "${declarations}" PARENT_SCOPE)
  set(entries "${entries}" PARENT_SCOPE)
endfunction()

# neuopt_embedding_source(TARGET SOURCE FILE...) adds that source to a target and compiles it anew when one of the files
# changes: alone, since CMake forgets what the parts of a unity build depend on.
function(neuopt_embedding_source target source)
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS "${ARGN}" SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${target} PRIVATE ${source})
endfunction()
