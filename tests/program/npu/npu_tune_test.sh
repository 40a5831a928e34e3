#!/bin/bash
# npu_tune_test.sh WHISPER_NPU WRITE_NANO_MODEL: what `npu tune` takes and refuses, its files, its cache,
# and that its plan is taken where a layer is planned. What it searches: tests/npu/tune/.
source "$(dirname "${BASH_SOURCE[0]}")/../expect.sh"
write_nano_model=$2
export XDG_CACHE_HOME=$work/cache
cache=$XDG_CACHE_HOME/whisper-npu/tuned-calls.txt

expect 2 '--objective energy: no published figure' npu tune --objective energy
expect 2 '--target npu4: its layer is refused' npu tune --target npu4
for budget in x 0 -1 1h 1e9 nan; do
  expect 2 '--budget: expected seconds above 0' npu tune --budget=$budget
done
expect 2 '--npu-preset: time preset: expected' npu tune --npu-preset x/y
expect 2 'no.json: expected a result of npu first-light' npu tune --kernel-table no.json
expect 2 '--size' npu tune --size huge
expect 2 '--device: there is no such option' npu tune --device sim
[ ! -e "$cache" ] || fail "a refusal has made a cache"

quick=(npu tune --size tiny --budget 0.5s)
expect 0 'all modelled, nothing was run on an NPU' "${quick[@]}" -o plan.json --trace trace.json
grep -q '"document": "whisper-npu layer plan"' plan.json || fail "the plan is no plan"
/usr/bin/python3 - trace.json <<'PYTHON' || fail "the trace is not what Perfetto reads"
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
names = {e["args"]["name"] for e in events if e["ph"] == "M"}
assert {"core(0,0)", "core(3,3)", "mem(0,0) s2mm 0", "controller"} <= names, names
assert all(e["dur"] >= 0 and e["ts"] >= 0 for e in events if e["ph"] == "X")
PYTHON
[ -s "$cache" ] || fail "no cache was kept"
echo mine >there
expect 6 'there: is there' "${quick[@]}" -o there
expect 6 'there: is there' "${quick[@]}" --trace there
[ "$(cat there)" = mine ] || fail "a file that was there is replaced"
expect 0 'found:' "${quick[@]}" -o there --overwrite
expect 6 'none' "${quick[@]}" -o none/plan.json
expect 6 '.: expected a place for a result, found a folder' "${quick[@]}" -o . --overwrite
/usr/bin/python3 -c "import wave; f = wave.open('talk.wav', 'wb'); f.setparams((1, 2, 16000, 0, 'NONE', '')); \
f.writeframes(bytes(32000))"
cp talk.wav talk.copy
expect 6 'talk.wav: expected a place for a result, found audio' "${quick[@]}" -o talk.wav --overwrite
cmp talk.wav talk.copy || fail "a recording is replaced"

# A cache that is damaged, is a folder, or is written by two at a time is no reason to fail.
echo damaged >>"$cache"
expect 0 '1 damaged lines left out' "${quick[@]}"
"$program" "${quick[@]}" >/dev/null & first=$!
"$program" npu tune --size base --budget 0.5s >/dev/null & second=$!
wait $first && wait $second || fail "two searches at a time: one failed"
[ "$(grep -cvE '^[0-9a-f]{16} [01] [0-9a-f]{16} [0-9a-f]+ [0-9a-f]{16}$' "$cache")" = 1 ] ||
  fail "two searches at a time have damaged the cache"
rm "$cache" && mkdir "$cache"
expect 0 'cache: ' "${quick[@]}"
rmdir "$cache"
expect 0 'found:' "${quick[@]}" --no-cache
[ ! -e "$cache" ] || fail "--no-cache has made a cache"

expect 0 '"kind": "modelled"' "${quick[@]}" --json --predictors
/usr/bin/python3 - out <<'PYTHON' || fail "--json: not what was expected"
import json, sys
d = json.load(open(sys.argv[1]))
s = d["search"]
assert d["found"]["layer_ms"] <= d["by_hand"]["layer_ms"]
assert d["found"]["bound_ms"] <= d["found"]["layer_ms"]
assert s["simulated"] + s["proven_no_better"] + s["refused"] <= s["plans"]
assert [o["name"] for o in d["by_hand"]["profile"]["operations"]][:2] == ["norm1", "qkv"]
assert len(d["predictions"]) == 6 and "learned_ms" in d["predictions"][0]
PYTHON
expect 0 'objective ddr' "${quick[@]}" --objective ddr

# Whatever plans a layer takes the plan, and only where it is of that layer.
expect 0 'plan of plan.json' npu emit --size tiny --plan-file plan.json -o d
(cd d && sha256sum --quiet -c SHA256SUMS) || fail "sums differ"
expect 2 'expected one for npu1, 1500 frames of 512' npu emit --size base --plan-file plan.json -o e
expect 2 'no readable file' npu emit --size tiny --plan-file no.json -o e
expect 2 'says plan and precision' npu emit --size tiny --plan-file plan.json --plan batched -o e
sed 's/"a_slots": [0-9]*/"a_slots": 3/' plan.json >changed.json
expect 2 'the plan was made by another or changed' npu emit --size tiny --plan-file changed.json -o e
[ ! -e e ] || fail "a refusal has made a folder"
expect 2 'expected one for npu1, 1500 frames of 512' bench --plans --size base --npu-plan-file plan.json

"$write_nano_model" nano
run=(transcribe --model nano/model --language en --output-dir . nano/tone.wav)
expect 2 'no readable file' "${run[@]}" --device sim --npu-plan-file no.json
expect 2 'no npu plan and no npu precision beside it' "${run[@]}" --device sim --npu-plan batched \
  --npu-plan-file plan.json
expect 2 '--npu-plan-file has no effect' "${run[@]}" --device cpu --npu-plan-file plan.json
echo "npu_tune: ok"
