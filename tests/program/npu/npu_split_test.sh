#!/bin/bash
# npu_split_test.sh WHISPER_NPU: what `npu split` takes and refuses, that the model's choice follows from the
# windows and the memory, and that the calls of parts are emitted. What it models: tests/npu/split_model_test.cpp.
source "$(dirname "${BASH_SOURCE[0]}")/../expect.sh"

expect 2 '--size' npu split --size huge
expect 2 '--devices' npu split --devices 0
expect 2 '--devices' npu split --devices 17
expect 2 '--windows' npu split --windows 65
expect 2 '--npu-preset: time preset: expected' npu split --npu-preset x/y
expect 2 'split: expected no files, found x' npu split x

expect 0 'the model takes: heads' npu split --size tiny --devices 2 --windows 1
grep -q 'all modelled' out || fail "it does not say that its figures are modelled"
expect 0 'the model takes: windows' npu split --size tiny --devices 2 --windows 2
expect 0 'layers: cannot be: expected at most 4 devices' npu split --size tiny --devices 5
expect 0 'windows: cannot be: expected at most 25000000 bytes' npu split --size tiny --windows 8 --memory 25
expect 0 'the model takes none' npu split --size tiny --memory 1

expect 2 '--parts has no effect' npu emit --size tiny --parts 3 -o d
expect 2 '--parts: expected at most 6 devices' npu emit --size tiny --plan heads --parts 7 -o d
expect 2 '--parts is of --plan heads' npu emit --dialect linalg --parts 3 -o d
expect 0 'norm1-out-3-heads-768-hidden: design [0-9a-f]{16}' npu emit --size tiny --plan heads -o d
[ "$(grep -c ': design' out)" = 2 ] || fail "two equal parts: expected two calls: $(cat out)"
expect 0 'norm2-down-2-heads-384-hidden' npu emit --size tiny --plan heads --parts 4 -o e
[ "$(grep -c ': design' out)" = 4 ] || fail "parts of two sizes: expected four calls: $(cat out)"
(cd e && sha256sum --quiet -c SHA256SUMS) || fail "sums differ"
echo "npu split: ok"
