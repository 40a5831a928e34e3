#!/bin/bash
# npu_op_test.sh WHISPER_NPU SOURCE: `npu op`, and operators of shared libraries, compiled here.
root=$2
source "$(dirname "${BASH_SOURCE[0]}")/../expect.sh"
compiler=${CXX:-c++}

is_json() {
  python3 -m json.tool <out >/dev/null || fail "no JSON: $(head -c 300 out)"
}

expect 2 'expected list or describe or validate' npu op
expect 2 'expected one operator' npu op describe
expect 2 'expected one of gemm_bf16.*found no_such' npu op validate no_such
expect 0 '^ +gelu .* yes +core$' npu op list
expect 0 '"name": "softmax"' npu op list --json
is_json
expect 0 'epsilon' npu op describe layer_norm
expect 0 '"runs_on": "core"' npu op describe attention --json
is_json
expect 0 '^ +softmax .* no +cpu$' npu op list
expect 0 '^holds +yes' npu op validate softmax --shapes 4
for name in gemm_int8 attention gelu; do
  expect 0 '^holds +yes' npu op validate "$name" --shapes 4
  grep -q 'counted' out || fail "$name: no counted cycles"
done
expect 0 '"holds": true' npu op validate quantise --json --shapes 2
is_json
expect 2 'n: expected a multiple of 8' npu op validate gelu --sizes 4,7
expect 2 'sizes: expected 2, found 1' npu op validate gelu --sizes 4
expect 2 '--sizes: ' npu op validate gelu --sizes x
expect 2 '--sizes: ' npu op validate gelu --sizes 64,0
expect 0 '^ +8 +16 +[0-9]+ ' npu op validate gelu --sizes 8,16

# The GELU that comes with the source: a tile kernel beside its references.
gelu=$work/gelu_tanh.so
"$compiler" -std=c++20 -O2 -shared -fPIC -I"$root" -I"$root/npu/ops" "$root/npu/ops/gelu_tanh.cpp" -o "$gelu" ||
  fail "gelu_tanh.cpp does not compile"
expect 0 '^holds +yes' npu op validate gelu_tanh --operator "$gelu" --shapes 4
grep -q 'counted' out || fail "a library's counted cycles are not told"
expect 0 '^ +gelu_tanh .* yes +cpu$' npu op list --operator "$gelu"
expect 8 'a name of its own' npu op list --operator "$gelu" --operator "$gelu"

# Shared libraries.
expect 8 'found nothing' npu op list --operator nowhere.so
echo 'no library' >text.so
expect 8 'no shared library' npu op list --operator text.so
expect 8 'no shared library' npu op list --operator .

# library NAME FLAGS...
library() {
  "$compiler" -std=c++20 -shared -fPIC -I"$root/npu/ops" "${@:2}" \
    "$root/tests/program/npu/npu_op/scaled.cpp" -o "$1" || fail "scaled.cpp ${*:2} does not compile"
}
library good.so
expect 0 '^has tile kernel +no' npu op validate scaled --operator ./good.so
expect 0 '"has_tile_kernel": false' npu op describe scaled --operator good.so --json

# refused FLAG PATTERN
refused() {
  library bad.so "-D$1"
  expect 8 "$2" npu op list --operator bad.so
}
refused NO_ENTRY 'expected a function whisper_npu_operator_entry, found none'
refused KNOWS_ANOTHER_VERSION 'the library knows another version'
refused WRONG_VERSION 'version: expected 1, found 2'
refused WRONG_SIZE 'size: expected that of whisper_npu_operator, .* found 24'
refused NO_REFERENCE 'reference: expected a function, found NULL'
refused NO_SUCH_SIZE 'rows: expected one of 1 sizes, found 1'
refused BAD_NAME 'expected letters, digits and _, found "3 x"'
refused TAKES_A_NAME 'operator gelu: expected a name of its own, found one that is built in'
refused WRITES_NAN 'reference: y\[15\]: expected a finite number'
refused WRITES_NOTHING 'reference: y\[0\]: expected a finite number'
refused WRITES_BEHIND 'found one written behind them'
refused FAILS 'reference: failed with 7'
refused THROWS 'expected no exception, found one'
library wrong.so -DIS_WRONG
expect 1 'y\[[0-9]+\] of .*expected' npu op validate scaled --operator wrong.so
expect 1 '"holds": false' npu op validate scaled --operator wrong.so --json
is_json

# In a run: what is asked for is loaded, or refused, before any work; what is not is not.
run=(transcribe --device sim --dry-run missing.wav)
expect 4 'operator gelu_tanh .* in the place of gelu, on the simulated cores' "${run[@]}" \
  --operator "$gelu" --npu-operator gelu=gelu_tanh
expect 4 'on the CPU: plan hybrid leaves GELU to the CPU' "${run[@]}" --npu-plan hybrid \
  --npu-operator gelu=gelu
expect 8 'scaled cannot stand in for gelu: sizes: expected 2, found 1' "${run[@]}" \
  --operator good.so --npu-operator gelu=scaled
expect 8 'no shared library' "${run[@]}" --operator text.so --npu-operator gelu=gelu
expect 2 'npu-operator: expected gelu=NAME, found silu=swiglu' "${run[@]}" \
  --npu-operator silu=swiglu
expect 2 'npu-operator: expected an operator that is there, found none' "${run[@]}" \
  --npu-operator gelu=none
LD_DEBUG=files LD_DEBUG_OUTPUT=loaded expect 4 'missing.wav' "${run[@]}"
! grep -q 'gelu_tanh.so' loaded.* || fail "an operator was loaded that nobody asked for"
LD_DEBUG=files LD_DEBUG_OUTPUT=asked expect 4 'missing.wav' "${run[@]}" --operator "$gelu" \
  --npu-operator gelu=gelu_tanh
grep -q 'gelu_tanh.so' asked.* || fail "the loader does not tell of operators"
