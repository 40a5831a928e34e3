#!/bin/bash
# Who speaks when, with the networks as `models pull speakers` fetches them, and tiny.en: speakers_test.sh PROGRAM.
# Exit code 77: skipped, with the reason.
set -euo pipefail
cache=${XDG_CACHE_HOME:-$HOME/.cache}/whisper-npu
for needed in "$cache/speakers/campplus.pt" "$cache/samples/jfk.wav"; do
  [ -e "$needed" ] && continue
  echo "SKIP: $needed is not there (whisper-npu models pull speakers, app/quickstart.sh)"
  exit 77
done
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
jfk=$cache/samples/jfk.wav

# One speaker, from the first words to the last, whatever the number of threads.
"$program" speakers --threads 1 "$jfk" >one.rttm 2>err || fail "speakers: found $(cat err)"
"$program" speakers --threads 2 "$jfk" >two.rttm 2>err || fail "speakers: found $(cat err)"
cmp one.rttm two.rttm || fail "speakers: expected the same turns with 1 and 2 threads"
awk '$1 != "SPEAKER" || $2 != "jfk" || $8 != "SPEAKER_00" || $4 < 0 || $4 + $5 > 11.1 { exit 1 }
     { sum += $5 } END { exit !(sum > 7) }' one.rttm || fail "speakers: expected one speaker, found $(cat one.rttm)"
"$program" speakers --format json "$jfk" >found.json 2>err || fail "speakers --format json: found $(cat err)"
/usr/bin/python3 - <<'PYTHON' || fail "speakers: the JSON is not what RTTM says: $(cat found.json)"
import json
with open("found.json") as file:
    found = json.load(file)
turns = [(round(t["start"], 2), t["speaker"]) for t in found["files"][0]["turns"]]
lines = [line.split() for line in open("one.rttm")]
assert turns == [(round(float(line[3]), 2), line[7]) for line in lines], turns
PYTHON

# What is refused, and who is not there.
expect 4 'gone.wav' speakers gone.wav
expect 2 '--speakers' speakers --speakers 0 "$jfk"
/usr/bin/python3 - <<'PYTHON'
import wave
with wave.open("silence.wav", "wb") as file:
    file.setparams((1, 2, 16000, 0, "NONE", ""))
    file.writeframes(bytes(2 * 16000 * 12))
PYTHON
"$program" speakers silence.wav >silence.rttm 2>err || fail "speakers silence.wav: found $(cat err)"
[ -s silence.rttm ] && fail "speakers silence.wav: expected no turn, found $(cat silence.rttm)"

# A transcript's words are that speaker's, by the name that was given.
if [ ! -e "$cache/tiny.en/model.bin" ]; then
  echo "speakers: ok, but for transcripts: $cache/tiny.en is not there (app/quickstart.sh)"
  exit 0
fi
"$program" transcribe --model tiny.en --device cpu --speakers auto --speaker-names 1=Kennedy --format json \
  --output-dir texts "$jfk" >said 2>err || fail "transcribe --speakers: found $(cat err)"
/usr/bin/python3 - <<'PYTHON' || fail "transcribe --speakers: not what was expected: $(cat texts/jfk.json)"
import json
with open("texts/jfk.json") as file:
    found = json.load(file)
assert found["segments"] and all(s["speaker"] == "Kennedy" for s in found["segments"]), found
PYTHON
echo "speakers: ok"
