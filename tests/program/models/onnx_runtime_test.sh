#!/bin/bash
# onnx_runtime_test.sh WHISPER_NPU WRITE_STAGES WRITE_NANO_MODEL: onnx's checker takes what `models export`
# writes, and onnxruntime computes what we compute: of tiny.en on jfk.wav where they are there, else of a
# small model.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
stages=$2 nano=$3
python=$(bash "$here/../../onnx_env.sh" --have) || {
  echo "SKIP: onnx and onnxruntime are not set up (bash tests/onnx_env.sh)"
  exit 77
}
source "$here/../expect.sh"

# check MODEL RECORDING
check() {
  mkdir -p stages
  "$stages" "$1" "$2" stages
  rm -rf free fixed
  "$program" models export --onnx "$1" -o free >/dev/null
  "$program" models export --onnx --batch 2 --weights fp16 --external-data "$1" -o fixed >/dev/null
  "$python" "$here/onnx_runtime_test.py" free stages || fail "$1: free batch, fp32"
  # Weights that are fp16 in the model are the same in the graph.
  "$python" "$here/onnx_runtime_test.py" fixed stages --fixed 2 || fail "$1: two windows, fp16 weights"
}

"$nano" .
check ./model tone.wav
cache=${XDG_CACHE_HOME:-$HOME/.cache}/whisper-npu
if [ -f "$cache/tiny.en/model.bin" ] && [ -f "$cache/samples/jfk.wav" ]; then
  check "$cache/tiny.en" "$cache/samples/jfk.wav"
else
  echo "tiny.en was not fetched: a small model alone was compared"
fi
