#!/bin/bash
# core_program_digest_test.sh CMAKE SOURCE_DIR: the digest of a core program follows its code, its order
# and its file names, and nothing else.
set -euo pipefail
cmake=$1
source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

digest() {
  "$cmake" -DOUTPUT="$work/digest.cpp" -P "$source/npu/core_program_digest.cmake" -- "$@"
  grep -oE '"[0-9a-f]{64}"' "$work/digest.cpp"
}

fail() {
  echo "core_program_digest: $1" >&2
  exit 1
}

cp "$source"/npu/kernel/tile_gemm.h "$source"/npu/kernel/tile_rows.h "$work"
gemm=$work/tile_gemm.h
rows=$work/tile_rows.h
whole=$(digest "$gemm" "$rows")
[ "$(digest "$gemm" "$rows")" = "$whole" ] || fail "expected the same digest twice"
[ "$(digest "$rows" "$gemm")" != "$whole" ] || fail "another order has the same digest"
[ "$(digest "$gemm")" != "$whole" ] || fail "a missing file has the same digest"

printf '\n// A remark; [with "brackets"].\n\n' >>"$gemm"
[ "$(digest "$gemm" "$rows")" = "$whole" ] || fail "a comment changed the digest"
printf 'static_assert(1 + 1 == 2);\n' >>"$gemm"
changed=$(digest "$gemm" "$rows")
[ "$changed" != "$whole" ] || fail "new code has the same digest"
sed -i 's/1 + 1 == 2/1 + 2 == 3/' "$gemm"
[ "$(digest "$gemm" "$rows")" != "$changed" ] || fail "changed code has the same digest"
mv "$gemm" "$work/renamed.h"
[ "$(digest "$work/renamed.h" "$rows")" != "$changed" ] || fail "another file has the same digest"
echo "core_program_digest: ok"
