#!/bin/bash
# npu_predict_test.sh WHISPER_NPU WRITE_NANO_MODEL: what `npu predict` and `npu check` take, refuse and answer, and that
# a plan of check is taken where a layer is planned.
source "$(dirname "${BASH_SOURCE[0]}")/../expect.sh"
write_nano_model=$2

expect 2 '--npu-preset: time preset: expected' npu predict --npu-preset x/y
expect 2 'no.json: expected a result of npu first-light' npu predict --kernel-table no.json
expect 2 '--size' npu predict --size huge
expect 2 '--plan' npu predict --plan hybrid
expect 2 'target: expected npu1, whose times are modelled, found npu4' npu predict --target npu4 \
  --npu-preset phoenix-1.0/goal
expect 2 '--plan-file says plan and precision' npu predict --plan-file p.json --plan batched
expect 2 '--simulate' npu check --simulate
expect 2 '--trace: expected one design' npu predict --json --trace t.json

# One design, by options.
expect 0 'modelled, nothing was run on an NPU: at least [0-9.]+ ms in 1 calls' npu predict --size tiny
expect 0 'in 7 calls' npu predict --size tiny --plan batched
expect 0 '^simulated [0-9.]+ ms' npu predict --size tiny --simulate --trace trace.json
/usr/bin/python3 - trace.json <<'PYTHON' || fail "the trace is not what Perfetto reads"
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
names = {e["args"]["name"] for e in events if e["ph"] == "M"}
assert {"core(0,0)", "core(3,3)", "mem(0,0) s2mm 0", "controller"} <= names, names
assert all(e["dur"] >= 0 and e["ts"] >= 0 for e in events if e["ph"] == "X")
PYTHON
expect 6 'trace.json: is there' npu predict --size tiny --trace trace.json
expect 0 'at least' npu predict --size tiny --trace trace.json --overwrite
expect 0 '^fits$' npu check --size tiny
expect 0 '^fits$' npu check --size tiny --target npu4
expect 0 'strix-1.8/published, modelled' npu predict --size tiny --target npu4

# Many, a line each. A line that is none is answered, too, and the exit code says so.
cat >designs.jsonl <<'JSON'
{"id": "by hand"}
{"id": "tuned", "tuning": {"norm_rows": 8}, "calls": [["norm1", "norm1"], ["qkv", "down"]], "preset": "hawk-1.6/counted"}

{"id": "cut", "shape": {"heads": 3, "hidden": 64}, "precision": "int8"}
JSON
expect 0 '"id":"cut"' npu predict --json --size tiny <designs.jsonl
cp out bound.jsonl
expect 0 '"simulated_ms"' npu predict --json --simulate --size tiny <designs.jsonl
cp out simulated.jsonl
expect 0 '"plan"' npu check --json --size tiny <designs.jsonl
cp out checked.jsonl
{
  printf '{"id": "odd", "shape": {"heads": 7}}\n{"id": 3}\nnot JSON\n{"preset": "x/y"}\n{"target": "npu4", "preset": "phoenix-1.0"}\n{"target": "npu4"}\n{"id": "'
  head -c 70000 /dev/zero | tr '\0' x
  printf '"}\n{"id": "last"}'
} >wrong.jsonl
expect 1 '"last"' npu predict --json --size tiny <wrong.jsonl
cp out wrong_out.jsonl
/usr/bin/python3 - <<'PYTHON' || fail "--json: not what was expected"
import json
def read(name):
    return [json.loads(line) for line in open(name + ".jsonl")]
bound, simulated, checked = map(read, ("bound", "simulated", "checked"))
for answers in (bound, simulated, checked):
    assert [a["id"] for a in answers] == ["by hand", "tuned", "cut"]
    assert all(a["fits"] and a["problems"] == [] and a["kind"] == "modelled" for a in answers)
for b, s in zip(bound, simulated):
    assert 0 < b["bound_ms"] == s["bound_ms"] <= s["simulated_ms"] and "simulated_ms" not in b
assert bound[1]["preset"] == "hawk-1.6/counted" and len(bound[1]["calls"]) == 2
assert [o["name"] for o in simulated[0]["profile"]["operations"]][:2] == ["norm1", "qkv"]
assert checked[0]["plan"]["document"] == "whisper-npu layer plan" and "bound_ms" not in checked[0]
json.dump(checked[1]["plan"] | {"modelled": {}}, open("plan.json", "w"), indent=2)
odd, number, text, preset, target, strix, long, last = read("wrong_out")
assert odd["id"] == "odd" and not odd["fits"] and "heads" in odd["problems"][0] and "bound_ms" not in odd
assert number == {"line": 2, "error": "line 2: id: expected a text, found 3"}
assert text == {"line": 3, "error": "line 3: a design: expected an object, found no JSON"}
assert preset["line"] == 4 and "time preset: expected" in preset["error"]
assert target["error"] == "line 5: target: expected npu1, whose times are modelled, found npu4"
assert strix["fits"] and strix["preset"] == "strix-1.8/published"
assert long == {"line": 7, "error": "line 7: expected at most 65536 bytes, found more"}
assert last["fits"]
PYTHON
# Who asks may wait for an answer before the next line.
coproc "$program" npu predict --json
predict_pid=$COPROC_PID # bash forgets it as soon as the program has ended
for id in a b; do
  echo "{\"id\": \"$id\"}" >&"${COPROC[1]}"
  read -r -t 60 answer <&"${COPROC[0]}" || fail "no answer before the end of stdin"
  [[ $answer == *"\"id\":\"$id\""* ]] || fail "expected an answer to $id, found $answer"
done
exec {COPROC[1]}>&-
wait "$predict_pid" || fail "npu predict --json: exit code $?"

# Whatever plans a layer takes the plan, and only where it is of that layer.
expect 0 'in 2 calls' npu predict --size tiny --plan-file plan.json
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
echo "npu_predict: ok"
