#!/bin/bash
# ort_test.sh WHISPER_NPU WRITE_NANO_MODEL SCHEMA ERF_PROVIDER: --device ort on real ONNX Runtimes: text, sharing with
# the CPU, what is refused, what fails. OpenVINO, and tiny.en on jfk.wav, where they are set up.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
nano=$2 schema=$3 plugin=$4
python=$(bash "$here/../onnx_env.sh" --have) || {
  echo "SKIP: onnxruntime is not set up (bash tests/onnx_env.sh)"
  exit 77
}
openvino=$(bash "$here/../ort_env.sh" --have) || openvino=
models=${XDG_CACHE_HOME:-$HOME/.cache}/whisper-npu
source "$here/expect.sh"
export XDG_CACHE_HOME=$work/cache
export VIRTUAL_ENV=${python%/bin/python}
"$nano" .
python3 -c 'import math, struct, wave
with wave.open("long.wav", "wb") as out:
    out.setparams((1, 2, 16000, 0, "NONE", ""))
    for second in range(95):
        out.writeframes(b"".join(struct.pack("<h", int(9000 * math.sin(i * (0.02 + second / 900)) * math.sin(i / 999)))
                                 for i in range(16000)))'

# transcribe DEVICE ARGUMENTS...: JSON in out.
transcribe() {
  expect 0 '"schema_version"' transcribe long.wav --model model --precision fp32 --language en --max-tokens 20 \
    --temperature-increment-on-fallback None --no-speech-threshold None --format json --threads 2 --device "$@"
}
# same FIRST SECOND: their texts, tokens and times are equal.
same() {
  local parts='[.segments[] | [.start, .end, .text, .tokens, [(.words // [])[] | [.word, .start, .end]]]]'
  jq "$parts" "$1" >first && jq "$parts" "$2" >second && diff first second || fail "$1 and $2 differ in their segments"
}
# says EXPRESSION: of out, by jq.
says() { [ "$(jq -r "$1" out)" = "$2" ] || fail "expected $1 to be $2, found $(jq -c .device out)"; }

clips=(--batch-size 4 --clip-timestamps 0,20,20,40,40,60,60,80)
transcribe cpu
cp out cpu.json
[ "$(jq '.segments | length' out)" -gt 2 ] || fail "too few segments to compare: $(cat out)"
transcribe ort
cp out ort.json
same cpu.json ort.json
/usr/bin/python3 -c 'import json, sys
import jsonschema
jsonschema.validate(json.load(open("ort.json")), json.load(open(sys.argv[1])))' "$schema" || fail "JSON is not by its schema"
says .device.used ort
says '.device.devices[0].name' ort:cpu
says '.device.ort.nodes | length' 1
says '.device.ort.nodes[0].provider' CPUExecutionProvider
transcribe ort:cpu "${clips[@]}"
cp out batch.json
transcribe cpu "${clips[@]}"
same out batch.json
transcribe ort --ort-weights fp16
says .device.ort.weights fp16

# The CPU beside it, by stated times: two windows each.
transcribe cpu,ort "${clips[@]}" --cpu-window-ms 10 --npu-window-ms 10
says '[.device.devices[].windows] | tostring' '[2,2]'
same out batch.json
# By the time that was measured once, and is kept.
transcribe cpu,ort "${clips[@]}"
planned=$(jq '.device.devices[1].planned_ms' out)
transcribe cpu,ort "${clips[@]}"
says '.device.devices[1].planned_ms' "$planned"

# A graph is made anew where the model's file is another, or the graph is gone.
graph=$(dirname "$(grep -l fp32 cache/whisper-npu/ort/*/source)")
made=$(stat -c %i "$graph")
transcribe ort
[ "$made" = "$(stat -c %i "$graph")" ] || fail "the graph was made twice"
find model -type f -exec touch {} +
for folder in cache/whisper-npu/ort/*/; do echo damaged >"$folder/encoder_model.onnx"; done
transcribe ort
same cpu.json out
[ "$made" != "$(stat -c %i "$graph")" ] || fail "a stale graph was used"
[ -z "$(find cache -name '*.part')" ] || fail "left: $(find cache -name '*.part')"

# Nodes that another provider ran are no silent matter.
one=(transcribe long.wav --model model --language en --max-tokens 4 --quiet)
expect 5 'expected all [0-9]+ nodes of the encoder on this provider, found [0-9]+ on CPUExecutionProvider .*Conv' \
  "${one[@]}" --device ort:azure
transcribe ort:azure --fallback cpu
same cpu.json out
says '[.device.ort.nodes[].provider] | tostring' '["azure","CPUExecutionProvider"]'
says '.device.ort.nodes[0].count' 0
grep -q 'ran on CPUExecutionProvider, which were left by the provider' err || fail "no word of nodes elsewhere: $(cat err)"
says '.warnings | length' 1

expect 5 'ort:qnn: expected a provider of ONNX Runtime .*found.* cpu.*pip install onnxruntime-qnn' "${one[@]}" --device ort:qnn
expect 5 'ort:cpu:NPU: expected a provider' "${one[@]}" --device ort:cpu:NPU
expect 5 'expected ONNX Runtime, found .*--ort-library' "${one[@]}" --device ort --ort-library "$work/none.so"
expect 5 'expected libonnxruntime.so in the folder' "${one[@]}" --device ort --ort-library "$work/model"
expect 5 'plug-in .*none.so' "${one[@]}" --device ort:mine --ort-plugin "$work/none.so"
expect 2 'expected KEY=VALUE, found word' "${one[@]}" --device ort --ort-option word
expect 2 'ort-weights has no effect' "${one[@]}" --device cpu --ort-weights fp16
expect 2 'expected auto\|cpu\|' "${one[@]}" --device ort:
expect 0 '^ort:cpu +usable' devices
expect 0 '^ok +ONNX Runtime .*providers cpu' doctor --device ort --model model
expect 1 '^failed +ONNX Runtime .*ort:qnn' doctor --device ort:qnn --model model

# A plug-in that has one operator. It compiles nothing that could be kept.
erf=(--device ort:erf --ort-plugin "$plugin")
expect 0 '^ort:erf:CPU +usable .*CPU \(test\)' devices --ort-plugin "$plugin"
expect 5 'found [0-9]+ on CPUExecutionProvider \(Add, Conv, Div,' "${one[@]}" "${erf[@]}"
transcribe ort:erf --ort-plugin "$plugin" --fallback cpu
same cpu.json out
says '.device.ort.nodes[0] | [.provider, .operators] | tostring' '["ErfExecutionProvider","Erf"]'
[ "$(jq '.device.ort.nodes[0].count' out)" -gt 2 ] || fail "the plug-in has too few nodes"
# A call that fails in the middle ends the work with its cause, or is the CPU's.
faulty=(--ort-plugin "$plugin" --fallback cpu --ort-option fail_at=$(($(jq '.device.ort.nodes[0].count' out) + 2)))
transcribe ort:erf "${faulty[@]}"
same cpu.json out
says .device.used cpu
jq -r .device.fallback out | grep -q 'ort:erf: .*a planted fault' || fail "the cause is lost: $(cat out)"
grep -q 'the CPU took over: ort:erf: .*a planted fault' err || fail "no word of the CPU: $(cat err)"

if [ -z "$openvino" ]; then
  echo "OpenVINO was not set up (bash tests/ort_env.sh): it was not tried"
  exit 0
fi
export VIRTUAL_ENV=${openvino%/bin/python}
transcribe ort:openvino
same cpu.json out
says '.device.ort.nodes | length' 1
says '.device.ort.nodes[0].provider' OpenVINOExecutionProvider
transcribe cpu,ort:openvino:CPU "${clips[@]}" --cpu-window-ms 10 --npu-window-ms 10
says '[.device.devices[].windows] | tostring' '[2,2]'
same out batch.json
# A provider may refuse to give its compilation, which is then made at each run: OpenVINO's AUTO does.
for run in first second; do
  transcribe ort:openvino:AUTO:CPU
  same cpu.json out
  says '.device.ort.nodes | length' 1
done
expect 5 'ort:openvino:NPU' "${one[@]}" --device ort:openvino:NPU
if [ ! -f "$models/tiny.en/model.bin" ] || [ ! -f "$models/samples/jfk.wav" ]; then
  echo "tiny.en was not fetched: a small model alone was compared"
  exit 0
fi
for device in cpu ort:openvino; do
  expect 0 'ask not what your country can do for you' transcribe "$models/samples/jfk.wav" --model "$models/tiny.en" \
    --precision fp32 --word-timestamps True --format json --device $device
  cp out $device.json
done
same cpu.json ort:openvino.json
