#!/bin/bash
# A given text's times: align_test.sh WHISPER_NPU WRITE_NANO_MODEL FOLDER_OF_SOURCES
write_nano_model=$2
source=$3
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
fetched=${XDG_CACHE_HOME:-$HOME/.cache}/whisper-npu
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

for needed in "$fetched/tiny.en/model.bin" "$fetched/samples/jfk.wav"; do
  if [ ! -e "$needed" ]; then
    echo "SKIP: $needed is not there (app/quickstart.sh fetches it)"
    exit 0
  fi
done
# Words of known times, in a text that has a sentence more and lacks one.
printf 'It was a cold day.\nAnd so, my fellow Americans:\nask not what your country can do for you.\n' >jfk.txt
"$program" align --model "$fetched/tiny.en" --device cpu --text jfk.txt --format json --output jfk.json \
  "$fetched/samples/jfk.wav" 2>err || fail "align: exit code $?: $(cat err)"
grep -q '5 of 19 words of the text were not heard' err || fail "align: expected a warning, found $(cat err)"
/usr/bin/python3 - <<'PYTHON' || fail "align: not the times that are known"
import json
found = json.load(open("jfk.json"))
cold, so, ask = found["segments"]
assert all(word["probability"] == 0 and word["start"] == word["end"] for word in cold["words"]), cold
# By forced alignment of phones (bench/align.py).
known = {" And": 0.29, " fellow": 1.17, " Americans:": 1.53, " not": 4.04, " what": 5.37, " country": 6.05}
for word in so["words"] + ask["words"]:
    if word["word"] in known:
        assert abs(word["start"] - known[word["word"]]) < 0.3, word
assert [extra["text"].lower().split()[:2] for extra in found["extra_speech"]] == [["ask", "what"]], found["extra_speech"]
assert 7.8 < found["extra_speech"][0]["start"] < 8.8, found["extra_speech"]
PYTHON
echo "align: ok"
