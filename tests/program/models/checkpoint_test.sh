#!/bin/bash
# checkpoint_test.sh WHISPER_NPU WRITE_NANO_MODEL WRITE_CHECKPOINT: a .pt of openai-whisper gives the text of the
# same weights in CTranslate2's format, small ones and, where they are, tiny.en's on jfk.wav.
nano=$2 checkpoint=$3
source "$(dirname "${BASH_SOURCE[0]}")/../expect.sh"
"$nano" .
cache=${XDG_CACHE_HOME:-$HOME/.cache}/whisper-npu

# compare MODEL RECORDING
compare() {
  rm -rf pt && mkdir pt
  "$checkpoint" "$1" pt/it.pt
  # What was written is an archive and a pickle for Python as well.
  /usr/bin/python3 -c 'import pickletools, zipfile
archive = zipfile.ZipFile("pt/it.pt")
assert archive.testzip() is None
for _ in pickletools.genops(archive.read("archive/data.pkl")): pass'
  for model in "$1" pt/it.pt; do
    "$program" transcribe --precision fp32 --beam-size 1 --temperature-increment-on-fallback None \
      --model "$model" --format json "$2" >"$(basename "$model").json"
  done
  /usr/bin/python3 - "$(basename "$1").json" it.pt.json <<'PY' || fail "other text than of $1"
import json, sys
one, other = (json.load(open(name)) for name in sys.argv[1:])
assert other["model"]["format"] == "pytorch", other["model"]
# Heads for words' times are in no checkpoint; text and tokens are all else.
assert one["text"] == other["text"], (one["text"], other["text"])
assert [each["tokens"] for each in one["segments"]] == [each["tokens"] for each in other["segments"]]
PY
}
compare model tone.wav
[ -d "$cache/tiny.en" ] && [ -f "$cache/samples/jfk.wav" ] && compare "$cache/tiny.en" "$cache/samples/jfk.wav"

# By its name in a folder of models, as openai-whisper's cache has it.
mkdir models && cp pt/it.pt models/base.pt && cp pt/vocab.json models/
expect 0 'models/base.pt' models path base --model-dir models
expect 0 'format: pytorch' models info base --model-dir models
echo "checkpoint: ok"
