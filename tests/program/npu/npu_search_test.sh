#!/bin/bash
# npu_search_test.sh WHISPER_NPU SHARED: what `npu search` takes, refuses and prints; that the
# same seed finds the same, whatever the threads; and what of a real model's encoder still hears. What it
# searches: tests/npu/search/, tests/encoder/variant_backend_test.cpp.
source "$(dirname "${BASH_SOURCE[0]}")/../expect.sh"
shared=$(realpath -m "$2")

quick=(npu search --size tiny --evaluations 60 --members 4)
expect 2 '--target npu4: its layer is refused' npu search --target npu4
expect 2 '--method' npu search --method annealing
expect 2 '--predictor' npu search --predictor oracle
expect 2 '--npu-preset: time preset: expected' npu search --npu-preset x/y
expect 2 '--size' npu search --size huge
for limit in --latency-ms --memory-mb; do
  expect 2 'above 0' npu search $limit 0
  expect 2 "$limit" npu search $limit=-1
  expect 2 "$limit" npu search $limit nan
done
expect 2 'pooling: expected 1 first, found 2' npu search --pooling 2,1
expect 2 '--pooling' npu search --pooling 0
expect 2 'layers: expected at least 1 to 4 to stay, found 5' npu search --size tiny --least-layers 5
expect 2 '--method exhaustive: expected at most' npu search --method exhaustive
expect 2 '--evaluations' npu search --evaluations 0
expect 2 'expected --model and --references beside it' npu search --measure-quality
expect 2 'do nothing without --measure-quality' npu search --references x
expect 2 'expected --model and --window beside it' npu search --objective states --model x
expect 2 '--window does nothing without' npu search --window x
expect 3 'x' npu search --model x
expect 2 '--size and --model exclude each other' npu search --size tiny --model x --references y --measure-quality
expect 2 '--references' npu search --model x --references no.tsv --measure-quality

expect 0 'all modelled, nothing was run on an NPU' "${quick[@]}" --latency-ms 40
echo mine >there
expect 6 'there: is there' "${quick[@]}" --report there
[ "$(cat there)" = mine ] || fail "a file that was there is replaced"
expect 0 'member' "${quick[@]}" --report there --overwrite
/usr/bin/python3 -c "import wave; f = wave.open('talk.wav', 'wb'); f.setparams((1, 2, 16000, 0, 'NONE', '')); \
f.writeframes(bytes(32000))"
cp talk.wav talk.copy
expect 6 'talk.wav: expected a place for a result, found audio' "${quick[@]}" --report talk.wav --overwrite
cmp talk.wav talk.copy || fail "a recording is replaced"

# Nothing is fast enough: the exit code says so, and what comes nearest is named.
expect 1 'nothing that was looked at meets --latency-ms 0.01 --memory-mb 1: the nearest takes [0-9.]+ ms and' \
  "${quick[@]}" --latency-ms 0.01 --memory-mb 1
grep -q '^ nearest ' out || fail "the nearest is not in the table"
expect 1 '"nearest"' "${quick[@]}" --latency-ms 0.01 --json

for method in evolution bayesian random; do
  for run in "1 --threads 1" "2 --threads 3" "3 --seed 2"; do
    read -r number options <<<"$run"
    # shellcheck disable=SC2086
    "$program" "${quick[@]}" --method $method --latency-ms 40 --json $options >"$method$number" || fail "$method"
  done
  cmp -s "${method}1" "${method}2" || fail "$method: threads change the result"
  cmp -s "${method}1" "${method}3" && fail "$method: the seed changes nothing"
done
expect 0 'seed 5' "${quick[@]}" --seed 5
expect 0 '\(time was up: another machine' npu search --size tiny --time-limit 0 --members 1
/usr/bin/python3 - evolution1 <<'PYTHON' || fail "--json: not what was expected"
import json, sys
d = json.load(open(sys.argv[1]))
assert d["kind"] == "modelled" and d["search"]["looked_at"] == 60 and d["search"]["ended_by"] == "evaluations"
assert 0 < len(d["front"]) <= 4 and "nearest" not in d
for m in d["front"]:
    assert m["simulated_ms"] <= 40 and m["quality"] is None and m["variant"]["layers"]
assert d["whole"]["kept"] == 1
PYTHON

# What is left of a real model, where it, recordings and the normaliser are there.
cache=${XDG_CACHE_HOME:-$HOME/.cache}/whisper-npu
missing=
[ -f "$cache/tiny.en/model.bin" ] || missing="tiny.en was not fetched (app/quickstart.sh does)"
[ -f "$shared/corpus/manifest.tsv" ] || missing="../shared/corpus is not there"
[ -x "$cache/peers/venv/bin/python" ] || missing="the normaliser was not set up (bench/peers.sh --normalizer)"
if [ -n "$missing" ]; then
  echo "SKIP: word errors of variants: $missing"
  echo "npu_search: ok"
  exit
fi
awk -F'\t' -v OFS='\t' -v folder="$shared/corpus/" \
  'NR == 1 { print; next } $1 ~ /^(jfk|lsclean_1089-134686-0000)\.wav$/ { $1 = folder $1; print }' \
  "$shared/corpus/manifest.tsv" >two.tsv
expect 0 'WER measured on 2 recordings' npu search --measure-quality --model tiny.en --references two.tsv \
  --evaluations 30 --members 2 --latency-ms 60
/usr/bin/awk '/^ +whole / { if ($6 + 0 > 10) exit 1; found = 1 } END { exit !found }' out ||
  fail "the whole encoder does not hear: $(cat out)"
expect 4 'missing.wav' npu search --objective states --model tiny.en --window missing.wav
expect 0 'states: their squared error' npu search --objective states --model tiny.en \
  --window "$shared/corpus/jfk.wav" --method bayesian --evaluations 8 --members 2
grep -q ' 0\.00 %' out || fail "the whole encoder has no states of its own"
for threads in 1 3; do
  "$program" npu search --objective states --model tiny.en --window "$shared/corpus/jfk.wav" --evaluations 6 \
    --members 2 --json --threads $threads >states$threads || fail "--objective states"
done
cmp -s states1 states3 || fail "--objective states: threads change the result"
echo "npu_search: ok"
