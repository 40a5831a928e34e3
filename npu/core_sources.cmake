# cmake -DOUTPUT=FILE.cpp -DROOT=DIR -P core_sources.cmake -- SOURCE...: writes core_sources(), the sources
# as they are, by their paths below ROOT.
set(text "")
set(is_source OFF)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
  set(argument "${CMAKE_ARGV${i}}")
  if(is_source)
    file(READ "${argument}" source)
    file(RELATIVE_PATH name "${ROOT}" "${argument}")
    string(APPEND text "    {\"${name}\", R\"source(${source})source\"},\n")
  elseif(argument STREQUAL "--")
    set(is_source ON)
  endif()
endforeach()
file(WRITE "${OUTPUT}" "// Written by npu/core_sources.cmake.
#include \"npu/emit/core_sources.h\"

namespace wnpu::npu {
std::vector<CoreSource> core_sources() {
  return {
${text}  };
}
}  // namespace wnpu::npu
")
