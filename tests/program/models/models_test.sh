#!/bin/bash
# models_test.sh WHISPER_NPU WRITE_NANO_MODEL: `models export` makes folders that are whole.
nano=$2
source "$(dirname "${BASH_SOURCE[0]}")/../expect.sh"
"$nano" .
mv model nano

expect 2 'expected one model' models export --onnx -o d
expect 2 'onnx is required' models export nano -o d
expect 2 'output-dir is required' models export --onnx nano
expect 2 '--weights' models export --onnx --weights int8 nano -o d
expect 3 'expected a model file' models export --onnx ./none -o d
expect 6 'cannot be made' models export --onnx nano -o none/d
[ ! -e d ] || fail "a refused command left a folder"

expect 0 'd/encoder_model.onnx: [0-9]+ bytes' models export --onnx nano -o d
(cd d && sha256sum --quiet -c SHA256SUMS) || fail "sums differ"
[ "$(ls d | tr '\n' ' ')" = "SHA256SUMS config.json decoder_model.onnx decoder_with_past_model.onnx encoder_model.onnx \
generation_config.json vocab.json " ] || fail "other files: $(ls d)"
expect 6 'is there' models export --onnx nano -o d
expect 0 'encoder_model.onnx_data' models export --onnx --external-data --weights fp16 --batch 2 --overwrite nano -o d
[ -f d/decoder_model.onnx_data ] || fail "no weights beside the graphs"
mkdir mine && touch mine/file
expect 6 'it is not replaced' models export --onnx --overwrite nano -o mine

expect 2 'import_onnx.py ENCODER.onnx' models import d/encoder_model.onnx --decoder nano -o bad
[ ! -e bad ] || fail "a refused command left a folder"
[ "$(find . -name '.whisper-npu*' | wc -l)" = 0 ] || fail "a part was left"
echo "models: ok"
