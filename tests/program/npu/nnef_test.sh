#!/bin/bash
# nnef_test.sh WHISPER_NPU: NNEF's own parser takes what `npu emit --dialect nnef` writes, and finds its shapes.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
python=$(bash "$here/../../onnx_env.sh" --have) || {
  echo "SKIP: nnef is not set up (bash tests/onnx_env.sh)"
  exit 77
}
source "$here/../expect.sh"
expect 0 'nnef, base, fp32' npu emit --dialect nnef --size base -o base
"$python" - base/graph.nnef <<'END' || fail "refused by nnef"
import sys
import nnef
graph = nnef.parse_file(sys.argv[1])
nnef.infer_shapes(graph)
shape = graph.tensors["result"].shape
assert shape == [1500, 512], shape
assert sum(operation.name == "variable" for operation in graph.operations) == 15
END
sed -i 's/matmul(active, w2)/matmul(w2, active)/' base/graph.nnef
! "$python" -c 'import nnef, sys; nnef.infer_shapes(nnef.parse_file(sys.argv[1]))' base/graph.nnef 2>/dev/null ||
  fail "a wrong shape was taken"
echo "nnef: ok"
