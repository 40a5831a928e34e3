#!/bin/bash
# tutorial_test.sh WHISPER_NPU SOURCE: every block of commands in npu/tutorial.md ends well, in order, in a
# folder of its own. A block that needs what is not there (weights, mlir-opt) is left out and named.
source "$(dirname "${BASH_SOURCE[0]}")/../expect.sh"
root=$(cd "$2" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}
mkdir bin
ln -s "$(realpath "$program")" bin/whisper-npu
ln -s "$root/npu" "$root/tests" .
[ -z "${CXX:-}" ] || ln -s "$(command -v "$CXX")" bin/c++
PATH=$PWD/bin:$PATH
export TMPDIR=$PWD

awk '/^```sh$/ { inside = 1; n += 1; next } /^```$/ { inside = 0 } inside { print > ("block" n ".sh") }' \
  "$root/npu/tutorial.md"
n_blocks=$(find . -maxdepth 1 -name 'block*.sh' | wc -l)
sed -i 's/--budget 5s/--budget 1s/; s/--evaluations 40/--evaluations 10/' block*.sh  # as good for a test
[ "$n_blocks" -ge 10 ] || fail "expected the blocks of npu/tutorial.md, found $n_blocks"

# missing BLOCK: what it needs and this machine has not.
missing() {
  if grep -q 'tiny\.en' "$1" && [ ! -f "$cache/whisper-npu/tiny.en/model.bin" ]; then echo tiny.en; fi
  if grep -q 'talk\.wav' "$1" && [ ! -f "$cache/whisper-npu/samples/jfk.wav" ]; then echo jfk.wav; fi
  if grep -q 'run\.sh' "$1" && ! command -v mlir-opt-16 mlir-opt >/dev/null; then echo mlir-opt; fi
}
[ ! -f "$cache/whisper-npu/samples/jfk.wav" ] || cp "$cache/whisper-npu/samples/jfk.wav" talk.wav

left_out=
for number in $(seq "$n_blocks"); do
  needs=$(missing "block$number.sh")
  if [ -n "$needs" ]; then
    left_out+=" block $number ($needs)"
    continue
  fi
  bash -euo pipefail "block$number.sh" >out 2>err ||
    fail "block $number: $(cat "block$number.sh"): $(tail -5 err)"
done
[ -z "$left_out" ] || echo "SKIP: left out for want of what it needs:$left_out"
echo "tutorial: ok"
