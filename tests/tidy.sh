#!/bin/bash
# tidy.sh: clang-tidy on what is ours, outside the tests; exit code 1 where it finds something. It takes minutes:
# run.sh has its checks of names and sizes alone, by names_and_sizes.py. Files of a library are read together, so
# that headers are read once, which also shows what two files name alike.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
command -v clang-tidy >/dev/null || { echo "clang-tidy is missing: apt-get install clang-tidy" >&2; exit 1; }
build=build/tidy-all
cmake --preset tidy -B "$build" -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=24 >/dev/null || exit 1
# nanobind defines a name with a hyphen, which a check of macros takes for an expression.
sed -i 's/ -DNB_BACKEND_PYPI=[^ ]*/ -DNB_BACKEND_PYPI=nanobind/' "$build/compile_commands.json"
# Nor what the build makes. bugprone-suspicious-include means the files that are read together.
grep -oP '"file": "\K[^"]*' "$build/compile_commands.json" |
  awk -v build="/$build/" '!/\/tests\// && (!index($0, build) || /\/Unity\//)' |
  xargs -P "$(nproc)" -n 1 clang-tidy --quiet -p "$build" --checks=-bugprone-suspicious-include 2>/dev/null
