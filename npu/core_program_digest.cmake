# cmake -DOUTPUT=FILE.cpp -P core_program_digest.cmake -- SOURCE...: writes core_program_digest(), the
# SHA-256 of the sources in this order, without comments and white space: those say nothing to a core.
include(${CMAKE_CURRENT_LIST_DIR}/arguments.cmake)
arguments_after_dashes(arguments)
set(text "")
foreach(argument ${arguments})
  file(READ "${argument}" source)
  string(REGEX REPLACE "//[^\n]*" "" source "${source}")
  string(REGEX REPLACE "[ \t\r\n]+" " " source "${source}")
  get_filename_component(name "${argument}" NAME)
  string(APPEND text "${name}\n${source}\n")
endforeach()
string(SHA256 digest "${text}")
file(WRITE "${OUTPUT}" "// Written by npu/core_program_digest.cmake.
#include \"npu/design/overlay.h\"

namespace wnpu::npu {
std::string_view core_program_digest() { return \"${digest}\"; }
}  // namespace wnpu::npu
")
