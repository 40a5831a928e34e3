#!/bin/bash
# npu_lab_test.sh WHISPER_NPU SOURCE: the scripts of npu/lab on few evaluations.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../expect.sh"
lab=$(cd "$2/npu/lab" && pwd)
python=$(bash "$here/../../lab_env.sh" --have) || {
  echo "SKIP: optuna and scikit-learn are not set up (bash tests/lab_env.sh)"
  exit 77
}
export PYTHONDONTWRITEBYTECODE=1

# run SCRIPT ARGUMENTS...: its JSON in out
run() { "$python" "$lab/$1.py" --program "$program" "${@:2}" >out 2>err || fail "$*: exit code $?: $(cat err)"; }

for method in nsga2 tpe random; do
  run search --size tiny --latency-ms 40 --method $method --evaluations 40 --members 2 --json
  cp out $method.json
done
run search --size tiny --latency-ms 40 --method nsga2 --evaluations 40 --members 2 --json
cmp -s out nsga2.json || fail "search.py: the same seed found something else"
run search --size tiny --latency-ms 40 --method nsga2 --evaluations 40 --members 2 --json --seed 2
cmp -s out nsga2.json && fail "search.py: the seed changes nothing"
code=0
"$python" "$lab/search.py" --program "$program" --size tiny --latency-ms 0.01 --evaluations 10 >out 2>err || code=$?
[ $code = 1 ] && grep -q 'nothing that was looked at meets the limits; the nearest takes' err || fail "search.py: $code, $(cat err)"

for method in climb tpe random; do
  run tune --size tiny --method $method --evaluations 12 --json -o $method.plan
  cp out tune_$method.json
  expect 0 'at least' npu predict --size tiny --plan-file $method.plan
done
run tune --size tiny --objective ddr --evaluations 12
grep -q 'all modelled, nothing was run on an NPU' out || fail "tune.py: $(cat out)"

code=0
cp climb.plan kept.plan
"$python" "$lab/tune.py" --program "$program" --size tiny --evaluations 12 -o kept.plan >out 2>err || code=$?
[ $code = 1 ] && grep -q 'kept.plan: is there already' err && cmp -s climb.plan kept.plan || fail "tune.py -o: $code, $(cat err)"
run tune --size tiny --evaluations 12 -o kept.plan --overwrite

run fit --plans 40 -o learned.joblib
grep -q 'against the simulator, not silicon' out || fail "fit.py: $(cat out)"
run search --size tiny --evaluations 10 --members 1 --predictor learned.joblib

cd "$work" && PYTHONPATH=$lab "$python" - <<'PYTHON' || fail "not what was expected"
import json
import optuna
from search import front_of, hypervolume, sampler_of, spread
from tune import BY_HAND, CHOICES, calls_of, neighbours

for method in "nsga2", "tpe", "random":
    found = json.load(open(method + ".json"))
    assert found["kind"] == "modelled" and found["looked_at"] == 40 and 0 < len(found["front"]) <= 2
    assert all(0 < m["simulated_ms"] <= 40 and 0 < m["kept"] <= 1 and m["layers"] for m in found["front"])
for method in "climb", "tpe", "random":
    found = json.load(open(f"tune_{method}.json"))
    assert found["found"]["simulated_ms"] <= found["by_hand"]["simulated_ms"] and found["simulated"] <= 12
climbed = json.load(open("tune_climb.json"))
assert climbed["found"]["simulated_ms"] < climbed["by_hand"]["simulated_ms"] and climbed["changes"]

# Two cubes that overlap; a point beyond `worst` adds nothing.
assert abs(hypervolume([(0, 0, 0.5), (0.5, 0.5, 0)], (1, 1, 1)) - (0.5 + 0.25 - 0.125)) < 1e-12
assert abs(hypervolume([(0, 0, 0), (2, 0, 0), (0.5, 0.5, 0.5)], (1, 1, 1)) - 1) < 1e-12
assert front_of({"a": (1, 2, 3), "b": (2, 1, 3), "c": (2, 2, 3), "d": (1, 2, 3)}) == ["a", "d", "b"]
assert spread(list("abcdefg"), 3) == ["a", "d", "g"] and spread(["a", "b"], 3) == ["a", "b"]
assert calls_of(BY_HAND) == [["norm1", "down"]]
assert calls_of({**BY_HAND, "qkv": True, "up": True}) == [["norm1", "norm1"], ["qkv", "norm2"], ["up", "down"]]
assert len(neighbours(BY_HAND)) == sum(len(values) - 1 for values in CHOICES.values())
assert all(sum(plan[k] != BY_HAND[k] for k in plan) == 1 for plan in neighbours(BY_HAND))
PYTHON

# Word errors of a cut model, where it and a recording are there: the whole one hears, without layers it does not.
cache=${XDG_CACHE_HOME:-$HOME/.cache}/whisper-npu
if [ ! -f "$cache/tiny.en/model.bin" ] || [ ! -f "$cache/samples/jfk.wav" ]; then
  echo "SKIP: word errors: needs tiny.en and jfk.wav: bash app/quickstart.sh"
  echo "npu_lab: ok"
  exit
fi
echo '{"audio_filepath": "'"$cache/samples/jfk.wav"'", "text": "And so, my fellow Americans, ask not what your country' \
  'can do for you, ask what you can do for your country."}' >rows.jsonl
whole='{"heads": 6, "hidden": 1536, "precision": "bf16"}'
small='{"heads": 1, "hidden": 192, "precision": "bf16"}'
member='"simulated_ms": 1, "kept": 1, "pooling": 1'
cat >found.json <<JSON
{"front": [{$member, "layers": [$whole, $whole, $whole, $whole]}, {$member, "layers": [$small]},
 {"simulated_ms": 1, "kept": 1, "pooling": 2, "layers": [$whole]}]}
JSON
"$python" "$lab/hear.py" --program "$program" --model "$cache/tiny.en" --rows rows.jsonl found.json >out 2>err ||
  fail "hear.py: $(cat err)"
[ "$(grep -c ' 0.0 % of 22 words wrong' out)" = 2 ] || fail "hear.py: the whole encoder does not hear: $(cat out)"
grep -q 'left out, with pooling or int8' out || fail "hear.py: $(cat out)"
sed -n 3p out | grep -qE ': [1-9][0-9.]+ % of 22 words wrong' || fail "hear.py: the cut encoder hears all: $(cat out)"
echo "npu_lab: ok"
