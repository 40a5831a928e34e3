# Writes OUTPUT (build_info.cpp) when what it says has changed. Run at each build, so that the
# commit it names is the one that was built:
#   cmake -DOUTPUT=... -DSOURCE=... -DVERSION=... -DCOMPILER=... -DBUILD_TYPE=... -DCOMMIT=... -P build_info.cmake
# COMMIT is what a source archive is of; empty: git says it, of the sources' own repository alone.
set(commit ${COMMIT})
if(NOT commit)
  cmake_path(GET SOURCE PARENT_PATH around)
  set(ENV{GIT_CEILING_DIRECTORIES} ${around})
  execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT commit)
  set(commit "unknown commit")
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [=[
#include "app/system/build_info.h"

namespace wnpu::app {

const char* const kVersion = "@VERSION@";
const char* const kGitCommit = "@commit@";
const char* const kCompiler = "@COMPILER@";
const char* const kBuildType = "@BUILD_TYPE@";

}  // namespace wnpu::app
]=])
