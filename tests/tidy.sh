#!/bin/bash
# tidy.sh [--all]: clang-tidy on what is ours, outside the tests; exit code 1 where it finds something.
# The checks that keep the code readable (sizes, names), which run.sh runs; --all: the whole of .clang-tidy,
# which takes several times as long. Files of a library are read together, so that headers are read once,
# which also shows what two files name alike.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=build/tidy-unity
batch=0
checks='-*,readability-function-size,readability-identifier-naming'
# Names and sizes are alike for each instruction set: Highway's files are read for one.
defines=-DHWY_COMPILE_ONLY_STATIC
if [ "${1:-}" = --all ]; then
  build=build/tidy-all
  batch=24
  defines=
  checks=-bugprone-suspicious-include # which means the files that are read together
fi
cmake --preset tidy -B "$build" -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE="$batch" >/dev/null || exit 1
# nanobind defines a name with a hyphen, which a check of macros takes for an expression.
sed -i 's/ -DNB_BACKEND_PYPI=[^ ]*/ -DNB_BACKEND_PYPI=nanobind/' "$build/compile_commands.json"
# Nor what the build makes.
grep -oP '"file": "\K[^"]*' "$build/compile_commands.json" |
  awk -v build="/$build/" '!/\/tests\// && (!index($0, build) || /\/Unity\//)' |
  xargs -P "$(nproc)" -n 1 clang-tidy --quiet -p "$build" --checks="$checks" ${defines:+--extra-arg="$defines"} 2>/dev/null
