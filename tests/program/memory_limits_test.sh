#!/bin/bash
# The program under limits of its memory and open files, from too little to enough: it ends by itself, with the code
# for that or with its result. ctest runs it: memory_limits_test.sh PROGRAM WRITE_NANO_MODEL
set -u
program=$1
if [ -n "${WNPU_TEST_EMULATOR:-}" ]; then
  echo "SKIP: $WNPU_TEST_EMULATOR runs the program, and a limit would be of its memory"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$2" "$work" || exit 1
failures=0

# limited KIB ARGUMENTS...: sets `code`. 124: not within 30 s.
limited() {
  (ulimit -v "$1" && shift && exec timeout 30 "$program" "$@") >"$work/out" 2>"$work/err" </dev/null
  code=$?
}

fail() {
  echo "FAILED: $1: exit code $code, stderr: $(head -c 300 "$work/err")"
  failures=$((failures + 1))
}

transcribe=(transcribe --device cpu --model "$work/model" --language en --beam-size 1
  --temperature 0 --temperature-increment-on-fallback None --no-speech-threshold None)
"$program" "${transcribe[@]}" "$work/tone.wav" >"$work/expected" 2>"$work/err" || exit 1

found=
for kib in 50000 60000 70000 80000 100000 130000 160000 200000 300000 500000 1000000 2000000; do
  limited $kib --version
  # 127: the loader had no room for the libraries; no code of ours has run.
  [ $code -eq 127 ] && continue
  [ $code -eq 0 ] || fail "$kib KiB: --version"
  limited $kib --help
  [ $code -eq 0 ] || fail "$kib KiB: --help"
  for threads in 1 12; do
    limited $kib "${transcribe[@]}" --threads $threads "$work/tone.wav"
    found="$found $code"
    case $code in
      0) cmp -s "$work/out" "$work/expected" || fail "$kib KiB, $threads threads: another text" ;;
      7) [ ! -s "$work/out" ] && grep -q memory "$work/err" || fail "$kib KiB, $threads threads" ;;
      *) fail "$kib KiB, $threads threads" ;;
    esac
  done
done
echo "exit codes:$found"

# The same with open files. The test's own shell has 0 to 2, and 255.
for files in 4 5 6 7 8 64; do
  for rows in "transcribe" "worker"; do
    more=("$work/tone.wav")
    [ $rows = worker ] && more=(--isolate off)
    echo "{\"audio_filepath\":\"$work/tone.wav\"}" >"$work/row"
    (exec 255>&- && ulimit -n $files && exec timeout 30 "$program" $rows "${transcribe[@]:1}" "${more[@]}") \
      <"$work/row" >"$work/out" 2>"$work/err"
    code=$?
    row=$(grep -o '"exit_code":[0-9]*' "$work/out" | cut -d: -f2)
    case ${row:-$code} in 0 | 7 | 127) ;; *) fail "$files open files, $rows, row ${row:-ok}" ;; esac
    [ $files -lt 64 ] || [ "${row:-$code}" = 0 ] || fail "$files open files, $rows: expected enough"
  done
done
case $found in *7*0*) ;; *) fail "expected limits that are too low, and others that are not" ;; esac
[ $failures -eq 0 ]
