#!/bin/bash
# models_test.sh WHISPER_NPU WRITE_NANO_MODEL: `models export` and `models import` make folders that are
# whole, and the encoder that is exported is the one that is imported, to the last bit.
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

# From either, and from what an import has made: the same bits.
expect 2 'decoder is required' models import d/encoder_model.onnx -o i
expect 0 'i/model.safetensors: [0-9]+ bytes' models import d/encoder_model.onnx --decoder nano -o i
expect 0 'encoder' models export --onnx ./i -o again
expect 0 'encoder' models export --onnx nano -o first
# Both formats' names, which the graph tells, have as many letters.
cmp <(sed 's/ctranslate2/safetensors/' first/encoder_model.onnx) again/encoder_model.onnx || fail "the encoder that was imported is another"
expect 0 'model.safetensors' models import first/encoder_model.onnx --decoder ./i --overwrite -o i
expect 6 'no folder that models import has made' models import d/encoder_model.onnx --decoder nano --overwrite -o d

# What is no Whisper encoder: the path, what was expected, what was found.
expect 3 'first/decoder_model.onnx: .*: expected .*, found' models import first/decoder_model.onnx --decoder nano -o bad
head -c 1000 first/encoder_model.onnx >cut.onnx
expect 3 'cut.onnx: expected' models import cut.onnx --decoder nano -o bad
expect 3 'none.onnx' models import none.onnx --decoder nano -o bad
rm d/encoder_model.onnx_data
expect 3 'encoder_model.onnx_data' models import d/encoder_model.onnx --decoder nano -o bad
[ ! -e bad ] || fail "a refused command left a folder"
[ "$(find . -name '.whisper-npu*' | wc -l)" = 0 ] || fail "a part was left"
echo "models: ok"
