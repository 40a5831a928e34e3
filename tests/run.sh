#!/bin/bash
# run.sh [--full]: packages, format, a build of the preset dev and its tests but the slow ones, on a fresh Debian 12
# too. --full has everything that is checked: all tests, the presets asan and tsan, fuzzers. Each step's time, and
# at the end which tests were skipped and why, and which steps failed.
set -uo pipefail
full=
case "$*" in
  "") ;;
  --full) full=1 ;;
  *) echo "run.sh: expected nothing or --full, found $*" >&2; exit 2 ;;
esac
source "$(dirname "${BASH_SOURCE[0]}")/../app/setup.sh"
cd "$root"
failed=()
skipped=$(mktemp)
cpu_times=$(mktemp)
beside_output=$(mktemp)
beside_pid= # of the process group that works beside the steps
leave() {
  [ -z "$beside_pid" ] || kill -- "-$beside_pid" 2>/dev/null
  rm -f "$skipped" "$cpu_times" "$beside_output"
}
trap leave EXIT

# Sets cpu_s: the CPU seconds, user and system, of all that this script has started and that has ended.
# To a file: a command substitution would be asked for its own.
read_cpu_s() {
  times >"$cpu_times"
  cpu_s=$(awk -F'[ms ]+' 'NR == 2 { printf "%d", $1 * 60 + $2 + $3 * 60 + $4 }' "$cpu_times")
}

# step NAME COMMAND...: the command's exit status; how long it took, and how much of the CPUs.
step() {
  local name=$1 begin=$SECONDS cpu_s cpu_begin result=0
  shift
  say "$name"
  read_cpu_s
  cpu_begin=$cpu_s
  "$@" || result=$?
  if [ $result -ne 0 ]; then
    failed+=("$name")
    echo "FAILED: $name"
  fi
  read_cpu_s
  echo "-- $name: $((SECONDS - begin)) s, $((cpu_s - cpu_begin)) s of CPU"
  return $result
}

# begin_beside NAME COMMAND...: until finish_beside it works beside the steps.
begin_beside() {
  beside=$1
  shift
  say "$beside, beside what follows"
  set -m # a group of its own, which leave() can end: Ctrl-C reaches no process behind &
  "$@" </dev/null >"$beside_output" 2>&1 &
  beside_pid=$!
  set +m
}
# In a shell of its own: with what others leave of the CPUs, since tests wait much of their time.
build_idle() {
  chrt --idle --pid 0 $BASHPID
  CMAKE_BUILD_PARALLEL_LEVEL=$(nproc) build "$@" # two compilers more would take memory from the tests
}
wait_beside() { wait "$beside_pid"; }
finish_beside() {
  local result=0
  step "$beside: the rest" wait_beside || result=$?
  beside_pid=
  cat "$beside_output"
  # Again at the end, where whoever sees only the end of the output sees why.
  [ $result -eq 0 ] || failed[-1]+=$'\n'$(tail -n 100 "$beside_output")
  return $result
}

sources() { git ls-files -- "$@"; }

check_format() { sources '*.h' '*.hpp' '*.cpp' | xargs -P "$(nproc)" -n 100 clang-format --dry-run -Werror; }

# build PRESET [FOLDER...]: everything, or the test programs of these folders.
build() {
  local preset=$1 targets=()
  shift
  [ $# -eq 0 ] || targets=(--target "${@/%/_tests}")
  cmake --preset "$preset" >/dev/null &&
    cmake --build --preset "$preset" "${targets[@]}" -- --quiet
}

# note_skipped PRESET: of what tests print, the reasons for which they were skipped, with their names.
note_skipped() {
  awk -v preset="$1" '
    /^[0-9]+\/[0-9]+ Testing: / { test = $3 }
    /^TEST CASE: / { test = $0; sub(/^TEST CASE: */, "", test) }
    /SKIP:/ { sub(/.*SKIP: */, ""); print preset ": " test ": " $0 }' >>"$skipped"
}

# run_tests PRESET CTEST_ARGUMENT...
run_tests() {
  local preset=$1 result
  shift
  # Two more than CPUs: many of them wait most of their time, for a signal's effect or live speech.
  ctest --preset "$preset" --parallel $(($(nproc) + 2)) "$@"
  result=$?
  note_skipped "$preset" <"build/$preset/Testing/Temporary/LastTest.log"
  return $result
}

# Under TSan, test cases that work with several threads: their names say so (tests/CMakeLists.txt).
test_threads() {
  local folder names result
  for folder in "$@"; do
    if "build/tsan/tests/${folder}_tests" -tc='*thread*' -c | grep -q ': 0$'; then
      echo "no test case of $folder has 'thread' in its name"
      return 1
    fi
  done
  names=$(IFS='|'; echo "$*")
  ctest --preset tsan --parallel "$(nproc)" --tests-regex "^($names|engine|engine_devices)\$"
  result=$?
  note_skipped tsan <build/tsan/Testing/Temporary/LastTest.log
  return $result
}

# or_say WHY COMMAND...: why something will be missing, where the command fails.
or_say() {
  local why=$1
  shift
  "$@" || echo "$why"
}

# The seconds each fuzzer has: 30, or on a slow machine what is left of 30 minutes behind 5 for the tests beside
# them, but 4 at least. Two work at a time. What an hour would find, tests/README.md says how to look for.
fuzz_seconds() {
  local fuzzers left=$((25 * 60 - SECONDS)) seconds
  fuzzers=$(find tests/fuzz/seeds -name '*.tar.xz' | wc -l)
  seconds=$((2 * left / fuzzers))
  echo $((seconds > 30 ? 30 : seconds < 4 ? 4 : seconds))
}

# Of what the tests need, what the build needs too.
fetch_for_build() {
  or_say "no ONNX Runtime header: --device ort will not be built nor tested" fetch_onnxruntime
  or_say "no nanobind or PyAV: the Python module will not be built nor tested" bash tests/python_env.sh
}
# The last eight side by side: they wait for others' machines, and each writes to a folder of its own.
fetch_for_tests() {
  install_packages tests/run_packages.txt || return
  or_say "tiny.en could not be fetched: tests that need it will be skipped" fetch_samples &
  [ -z "$full" ] || or_say "base could not be fetched: tests that need it will be skipped" fetch_base &
  or_say "no normaliser: the test of word error rates will be skipped" bash bench/peers.sh --normalizer &
  or_say "no onnxruntime: the test of ONNX graphs will be skipped" bash tests/onnx_env.sh &
  or_say "no OpenVINO: --device ort will be tried on its CPU provider alone" bash tests/ort_env.sh &
  [ -z "$full" ] || or_say "no OpenAI clients: the server will not be asked by them" bash tests/serve_env.sh &
  or_say "no optuna: the test of npu/lab will be skipped" bash tests/lab_env.sh &
  or_say "no kubernetes-validate: the Job will not be checked by its schema" bash tests/cluster/kubernetes_env.sh &
  wait
}

say "packages for the build (app/packages.txt, tests/packages.txt)"
install_packages app/packages.txt tests/packages.txt || exit 1
# sudo may ask for a password, which it cannot do beside other steps.
[ "$(id -u)" -eq 0 ] || install_packages tests/run_packages.txt || exit 1
begin_beside "packages for the tests, weights, a recording, the normaliser and onnxruntime" fetch_for_tests
step "a Python environment for the tests" fetch_for_build
step "format" check_format
step "dev: build" build dev
built=$?
finish_beside

# Preset tsan has what works on the threads of models/base/thread_pool, audio/read/samples_beside,
# npu/sim/worker_pool and app/engine/windows/clip_loop. The last tests are those that fill the CPUs best: no build is
# left to do so.
with_threads=(models npu audio encoder decoder app)
check_all() {
  local seconds sanitizer_built
  begin_beside "tsan: build" build_idle tsan "${with_threads[@]}"
  [ $built -eq 0 ] && step "dev: test" run_tests dev --label-exclude times
  finish_beside
  sanitizer_built=$?
  [ $built -eq 0 ] && step "dev: test of times, alone" run_tests dev --label-regex times

  begin_beside "asan: build" build_idle asan
  [ $sanitizer_built -eq 0 ] && step "tsan: test" test_threads "${with_threads[@]}"
  finish_beside || return
  seconds=$(fuzz_seconds)
  begin_beside "fuzzers of the preset asan, $seconds s each" tests/fuzz/run.sh "$seconds"
  step "asan: test" run_tests asan
  finish_beside
}
if [ -n "$full" ]; then
  check_all
elif [ $built -eq 0 ]; then
  step "dev: test, but what is slow (run.sh --full)" run_tests dev --label-exclude 'slow|times'
fi

say "all steps took $SECONDS s"
if [ -s "$skipped" ]; then
  echo "skipped:"
  sort -u "$skipped"
else
  echo "no test was skipped"
fi
if [ ${#failed[@]} -gt 0 ]; then
  printf 'FAILED: %s\n' "${failed[@]}"
  exit 1
fi
echo "all steps passed"
