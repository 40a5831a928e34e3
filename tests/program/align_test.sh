#!/bin/bash
# A given text's times: align_test.sh WHISPER_NPU WRITE_NANO_MODEL FOLDER_OF_SOURCES
write_nano_model=$2
source=$3
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
export XDG_CACHE_HOME=$work/cache
"$write_nano_model" .
recogniser=(--model model --device cpu)

# What is refused, before a model is loaded.
echo 'All is well.' >well.txt
printf ' \n\n' >empty.txt
printf '!? ...\n' >marks.txt
printf 'caf\xE9\n' >latin.txt
printf '\xFF\xFEa\0' >utf16.txt
head -c 100000 /dev/zero | tr '\0' x >long.txt
expect 2 'align: expected one recording, found none' align --text well.txt
expect 2 'align: expected one recording, found 2' align --text well.txt tone.wav tone.wav
expect 2 'align: expected --text FILE, found none' align tone.wav
expect 2 '--text gone.txt: expected a text, found No such file' align --text gone.txt tone.wav
expect 2 '--text \.: expected a text, found a folder' align --text . tone.wav
expect 2 '--text empty.txt: expected words, found none' align --text empty.txt tone.wav
expect 2 '--text latin.txt: expected UTF-8, found bytes that are none' align --text latin.txt tone.wav
expect 2 '--text utf16.txt: expected UTF-8, found UTF-16' align --text utf16.txt tone.wav
expect 2 '--text: expected words, found none' align "${recogniser[@]}" --text marks.txt tone.wav
expect 2 '--text: expected at most [0-9]+ characters for [0-9]+ s of audio, found 100000' \
  align "${recogniser[@]}" --text long.txt tone.wav
expect 4 'gone.wav' align "${recogniser[@]}" --text well.txt gone.wav

# Segments are the text's lines; cues keep theirs. The times depend on no number of threads.
printf '1\n00:00:01,000 --> 00:00:03,000\nAll is\nwell.\n\n7\n00:00:03,000 --> 00:00:04,000\nNot so here.\n' >cues.srt
for threads in 1 2; do
  code=0
  "$program" align "${recogniser[@]}" --language en --threads $threads --text cues.srt --format srt,json \
    --output-dir out$threads tone.wav 2>err || code=$?
  if [ "$code" = 4 ]; then
    grep -q 'expected speech, found none' err || fail "align: exit code 4: $(cat err)"
    echo "align: ok, nothing was heard of the tone"
    exit 0
  fi
  [ "$code" = 0 ] || fail "align: expected exit code 0, found $code: $(cat err)"
done
cmp out1/tone.srt out2/tone.srt || fail "align: expected the same times with 1 and 2 threads"
/usr/bin/python3 - "$source/app/formats/transcript.schema.json" <<'PYTHON' || fail "align: not what was expected as JSON"
import json, sys
found = json.load(open("out1/tone.json"))
try:
    import jsonschema
    jsonschema.Draft202012Validator(json.load(open(sys.argv[1]))).validate(found)
except ImportError:
    print("jsonschema is not installed", file=sys.stderr)
assert [each["text"] for each in found["segments"]] == [" All is\nwell.", " Not so here."], found["segments"]
assert isinstance(found["extra_speech"], list)
times = [time for word in found["words"] for time in (word["start"], word["end"])]
assert times == sorted(times), times
PYTHON
expect 6 'out1/tone.srt' align "${recogniser[@]}" --text cues.srt --format srt --output-dir out1 tone.wav
echo "align: ok"
