#!/bin/bash
# The program with real weights: tiny.en and jfk.wav as app/quickstart.sh fetches them.
# ctest runs it: end_to_end_test.sh PROGRAM. Exit code 77: skipped, with the reason.
set -u
program=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/whisper-npu
sample=$cache/samples/jfk.wav
for needed in "$cache/tiny.en/model.bin" "$sample"; do
  [ -e "$needed" ] && continue
  echo "SKIP: $needed is not there (app/quickstart.sh fetches it)"
  exit 77
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
patience=${WNPU_TEST_PATIENCE:-1} # how many times as long as on a usual machine
sounds=(silence noise tone)
stopped=(cpu sim)

# check NAME EXPECTED FOUND
check() {
  [ "$2" = "$3" ] && return
  printf 'FAILED: %s\n  expected: %s\n  found:    %s\n' "$1" "$2" "$3"
  failures=$((failures + 1))
}

run() { "$program" transcribe --device cpu --precision fp32 "$@"; }

# openai-whisper 20250625 with the same weights: greedy, and its command's defaults.
greedy='And so my fellow Americans ask not what your country can do for you
ask what you can do for your country'
default='And so, my fellow Americans ask not what your country can do for you
ask what you can do for your country.'

# Less precise numbers may hear other punctuation.
words() { tr '[:upper:]\n' '[:lower:] ' | tr -d '[:punct:]'; }

# While it is spoken; each word once, whatever is heard of it so soon.
hear_live() {
  live() { "$program" stream --device cpu --precision fp32 --pace audio "$@"; }
  check "a live stream" "$(echo $(words <<<"$greedy"))" "$(echo $(live <"$sample" 2>"$work/err" | words))"
  # With pooled padding a few words are heard otherwise.
  check "a live stream with pooled padding" "True" "$(live --pool-padding True <"$sample" | words | python3 -c '
import difflib, sys
said, heard = sys.argv[1].split(), sys.stdin.read().split()
same = sum(block.size for block in difflib.SequenceMatcher(None, said, heard, False).get_matching_blocks())
print(same >= len(said) - 4 and abs(len(heard) - len(said)) <= 2)' "$(words <<<"$greedy")")"
}

# An operator from outside in GELU's place: on the cores, and where it has no part there on the CPU.
replace_gelu() {
  local plan library=$work/gelu_tanh.so
  "${CXX:-c++}" -std=c++20 -O2 -shared -fPIC -I"$root" -I"$root/npu/ops" "$root/npu/ops/gelu_tanh.cpp" -o "$library"
  for plan in fused hybrid; do
    "$program" transcribe --device sim --precision fp32 --beam-size 1 --format json \
      --model "$cache/tiny.en" --npu-plan $plan --operator "$library" --npu-operator gelu=gelu_tanh "$sample" \
      >"$work/$plan.json" 2>"$work/err"
    check "exit code with another GELU, $plan" 0 $?
  done
  check "the text with another GELU, and where it ran" \
    " $(echo $greedy)|fused|gelu|gelu_tanh|core|None| $(echo $greedy)|hybrid|gelu|gelu_tanh|cpu|plan hybrid leaves GELU to the CPU" \
    "$(python3 - "$work/fused.json" "$work/hybrid.json" <<'PYTHON'
import json, sys
found = []
for name in sys.argv[1:]:
    j = json.load(open(name))
    [o] = j["device"]["npu"]["operators"]
    found += [j["text"], j["device"]["npu"]["plan"], o["replaces"], o["name"], o["ran_on"], str(o["reason"])]
print("|".join(found))
PYTHON
  )"
}

check "greedy text" "$greedy" "$(run --beam-size 1 "$sample" 2>"$work/err")"
for precision in auto int16 int8; do
  check "the same words in $precision" "$(words <<<"$greedy")" \
    "$("$program" transcribe --device cpu --precision $precision --beam-size 1 "$sample" | words)"
done
check "nothing on stderr" "" "$(cat "$work/err")"
check "text with default options" "$default" "$(run "$sample")"
check "verbose text" "[00:00.000 --> 00:07.740]  And so my fellow Americans ask not what your country can do for you" \
  "$(run --beam-size 1 --verbose "$sample" 2>/dev/null | head -n 1)"
check "a file on stdin" "$greedy" "$(run --beam-size 1 - <"$sample")"
# jfk.wav is 16 kHz, 16 bit, mono; its samples begin behind a header of 78 bytes.
check "raw samples on stdin" "$greedy" \
  "$(tail -c +79 "$sample" | run --beam-size 1 --stdin-format s16le:16000:1 -)"

# Words behind a prefix have their own times: "ask" is said after 3.3 s.
check "the first word behind a prefix" "ask True" \
  "$(run --beam-size 1 --no-timestamps --word-timestamps True --format json --prefix "And so, my fellow Americans," "$sample" |
    python3 -c 'import json, sys; word = json.load(sys.stdin)["words"][0]; print(word["word"].strip(), word["start"] > 3)')"

# The simulated NPU: the CPU's text (its decoder in fp32, for integers hear near ties otherwise), one
# call a layer, and JSON that says what it is.
"$program" transcribe --device sim --precision fp32 --beam-size 1 --format json "$sample" >"$work/sim.json" 2>"$work/err"
check "exit code on the simulated NPU" 0 $?
check "the simulated NPU's text and honesty" \
  " $(echo $greedy)|True|sim|sim|4|4|phoenix-1.0/published" \
  "$(python3 - "$work/sim.json" <<'PYTHON'
import json, sys
j = json.load(open(sys.argv[1]))
d, n = j["device"], j["device"]["npu"]
layers = n["launches"] // n["windows"]
print(j["text"], d["simulated"], d["requested"], d["used"], n["launches"], layers, n["preset"], sep="|")
assert n["ddr_bytes"] > 0 and n["modelled_ms_per_layer"] > 0
PYTHON
)"

if [ -n "${WNPU_TEST_EMULATOR:-}" ]; then
  echo "SKIP: live streams, another GELU, silence, a tone, a stop on sim: under $WNPU_TEST_EMULATOR each takes many minutes"
  sounds=(noise)
  stopped=(cpu)
else
  hear_live
  replace_gelu
fi

ln -s "$cache/tiny.en" "$work/mine"
check "a model by its weights, whatever its name" 4 "$("$program" models verify "$work/mine" | grep -c 'ok (published as tiny.en)')"

echo "no audio" >"$work/bad.wav"
run --beam-size 1 --output-dir "$work/out" "$work/bad.wav" "$sample" >"$work/stdout" 2>"$work/err"
check "a batch with a bad file" 1 $?
check "nothing on stdout" "" "$(cat "$work/stdout")"
check "files of the good one" "jfk.csv jfk.json jfk.jsonl jfk.lrc jfk.srt jfk.tsv jfk.txt jfk.vtt" \
  "$(ls "$work/out" | tr '\n' ' ' | sed 's/ $//')"
check "txt" "$greedy" "$(cat "$work/out/jfk.txt")"
run "$work/bad.wav" >"$work/stdout" 2>"$work/err"
check "a bad file alone" 4 $?
run --model "$sample" "$sample" >"$work/stdout" 2>"$work/err"
check "a recording as a model" 3 $?
head -c 1000000 "$cache/tiny.en/model.bin" >"$work/model.bin"
cp "$cache"/tiny.en/*.json "$cache"/tiny.en/*.txt "$work/"
run --model "$work" "$sample" >"$work/stdout" 2>"$work/err"
check "a model that is cut short" 3 $?

if python3 -c 'import jsonschema' 2>/dev/null; then
  python3 - "$root/app/formats/transcript.schema.json" "$work/out/jfk.json" "$work/out/jfk.jsonl" <<'PYTHON'
import json, sys
import jsonschema
schema = json.load(open(sys.argv[1]))
for path in sys.argv[2:]:
    jsonschema.validate(json.load(open(path, encoding="utf-8")), schema)
PYTHON
  check "JSON by its schema" 0 $?
else
  echo "python3-jsonschema is not there: the C++ check of app_tests stands alone"
fi

# Nobody speaks: no loops with default options, and no words with --vad.
mkdir "$work/sounds"
python3 - "$work/sounds" "${sounds[@]}" <<'PYTHON'
import array, math, random, sys, wave
random.seed(1)
sounds = {
    "silence": lambda t: 0.0,
    "noise": lambda t: random.gauss(0, 0.1),
    "tone": lambda t: 0.3 * math.sin(2 * math.pi * 440 * t),
}
for name in sys.argv[2:]:
    with wave.open(f"{sys.argv[1]}/{name}.wav", "wb") as out:
        out.setparams((1, 2, 16000, 0, "NONE", ""))
        samples = (int(32767 * max(-1, min(1, sounds[name](i / 16000)))) for i in range(31 * 16000))
        out.writeframes(array.array("h", samples).tobytes())
PYTHON
run --format txt --output-dir "$work/heard" "$work"/sounds/*.wav 2>"$work/err"
check "sounds without speech: exit code" 0 $?
for sound in "${sounds[@]}"; do
  # openai-whisper with these weights hears " you you" in silence; a loop fills a window.
  words=$(wc -w <"$work/heard/$sound.txt")
  [ "$words" -le 12 ] || check "words in $sound" "12 or fewer" "$words: $(head -c 200 "$work/heard/$sound.txt")"
done
if [ -e "$cache/silero_vad/silero_vad_16k.safetensors" ]; then
  check "words with --vad where nobody speaks" "" \
    "$(run --vad True --format txt --output-dir "$work/vad" "$work"/sounds/*.wav; cat "$work"/vad/*.txt)"
else
  echo "SKIP: no weights of the voice activity detector (app/quickstart.sh fetches them)"
fi

# SIGINT: exit code 130, soon. 500 ms are promised on a quiet machine; a busy one gets 2 s.
# A shell without a terminal lets what it starts in the background ignore SIGINT: env undoes that.
# stop_on DEVICE
stop_on() {
  local device=$1 files pid begin milliseconds
  mapfile -t files < <(yes "$sample" | head -n 40)
  : >"$work/stdout"
  env --default-signal=INT "$program" transcribe --device "$device" --format jsonl "${files[@]}" \
    >"$work/stdout" 2>/dev/null &
  pid=$!
  for _ in $(seq $((600 * patience))); do  # until the first file is done, and the second at work
    [ -s "$work/stdout" ] && break
    sleep 0.1
  done
  begin=$(date +%s%N)
  kill -INT $pid
  wait $pid
  check "$device: exit code after SIGINT" 130 $?
  milliseconds=$((($(date +%s%N) - begin) / 1000000))
  echo "$device: stopped $milliseconds ms after SIGINT"
  [ $milliseconds -le $((2000 * patience)) ] || check "$device: time to stop" "500 ms" "$milliseconds ms"
  grep -q '"truncated":true' "$work/stdout" ||
    check "$device: the output of a stopped run" '"truncated":true' "$(tail -c 100 "$work/stdout")"
}
for device in "${stopped[@]}"; do stop_on "$device"; done

[ $failures -eq 0 ] && echo "end to end: all as expected"
exit $((failures > 0))
