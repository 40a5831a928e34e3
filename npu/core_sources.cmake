# cmake -DOUTPUT=FILE.cpp -DROOT=DIR -DFUNCTION=NAME -P core_sources.cmake -- SOURCE...: writes NAME(), which
# emit/core_sources.h declares: the sources as they are, by their paths below ROOT.
include(${CMAKE_CURRENT_LIST_DIR}/arguments.cmake)
arguments_after_dashes(arguments)
set(text "")
foreach(argument ${arguments})
  file(READ "${argument}" source)
  file(RELATIVE_PATH name "${ROOT}" "${argument}")
  string(APPEND text "    {\"${name}\", R\"source(${source})source\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "// Written by npu/core_sources.cmake.
#include \"npu/emit/core_sources.h\"

namespace wnpu::npu {
std::vector<CoreSource> ${FUNCTION}() {
  return {
${text}  };
}
}  // namespace wnpu::npu
")
