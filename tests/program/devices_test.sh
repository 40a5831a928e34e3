#!/bin/bash
# devices_test.sh WHISPER_NPU WRITE_MODELS: `devices` and `doctor` on this machine, whatever it has.
# What is listed of which machine: tests/app/commands/.
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
export XDG_CACHE_HOME=$work/cache
mkdir models
"$2" models
small=models/head64

expect 0 '^cpu +usable' devices
expect 0 'simulated on the CPU; its times are modelled' devices
expect 0 '"schema_version": 1' devices --json
python3 - <<'PYTHON' || fail "devices --json is not what it is said to be"
import json
devices = json.load(open("out"))["devices"]
kinds = [d["kind"] for d in devices]
assert kinds[0] == "cpu" and kinds.count("sim") == 1, devices
assert all(d["usable"] != bool(d["reason"]) for d in devices), devices
PYTHON
expect 2 'expected no files' devices cpu

# Each of these is tried on the device itself.
expect 0 '^ok +trial +5 s of sound on cpu in' doctor --device cpu --model "$small"
expect 0 'on sim in .*\(simulated\)' doctor --device sim --model "$small"
expect 0 '"works": true' doctor --device cpu --model "$small" --json
expect 1 '^failed +trial .*heads of 64 columns' doctor --device sim --model models/tiny.en
expect 1 '^failed +model +none: expected a model' doctor --device cpu --model none
grep -q 'try: whisper-npu models list' out || fail "no remedy for a model that is not there"
expect 1 '"works": false' doctor --device cpu --model none --json
expect 2 '--npu-preset has no effect' doctor --device cpu --npu-preset hawk-1.6/goal
if ! "$program" devices --json | grep -q '"name": "npu:'; then
  expect 1 '^failed +NPU ' doctor --device npu --model "$small"
  expect 0 '^absent +NPU ' doctor --model "$small"
fi

# Threads that the CPU beside a device takes are not missing.
python3 -c 'import wave
with wave.open("a.wav", "wb") as out:
    out.setparams((1, 2, 16000, 0, "NONE", ""))
    out.writeframes(bytes(32000))'
expect 0 '"warnings"' transcribe a.wav --device cpu,sim --threads 2 --model "$small" --format json --max-tokens 4
! grep -q 'found room for' out || fail "threads that a CPU beside a device takes are called missing"
