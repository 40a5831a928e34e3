#!/bin/bash
# run.sh SECONDS [TARGET...]: each fuzzer of the preset asan (or those named) for so many seconds,
# two at a time. What it finds new is kept in build/fuzz/corpus/TARGET ($FUZZ_CORPUS/TARGET), and
# the input behind a finding in build/fuzz/findings ($FUZZ_FINDINGS); exit code 1 where there is one.
#        run.sh --unpack|--pack TARGET: its seeds, between tests/fuzz/seeds/TARGET.tar.xz and build/fuzz/seeds/TARGET.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=build/asan
corpus=${FUZZ_CORPUS:-build/fuzz/corpus}
findings=${FUZZ_FINDINGS:-build/fuzz/findings}
archives=tests/fuzz/seeds
unpacked=build/fuzz/seeds

# limits TARGET. Time: no input is worth a second, but a busy machine makes several of one. Memory: a
# reader may take a few times its input, which has at most 4 MB (input_folder.h); libav's decoders take
# more for themselves.
limits() {
  local largest=64
  local longest=8192
  [ "$1" = audio ] && largest=512
  [[ "$1" = pytorch || "$1" = pickle ]] && longest=32768 # the archive of a layer has 10 to 20 KB
  echo "-timeout=10 -rss_limit_mb=1024 -malloc_limit_mb=$largest -max_len=$longest"
}

dictionary() {
  local name
  case $1 in
    ggml | ctranslate2 | safetensors | silero_vad) name=models ;;
    tokenizer | json | xclbin_manifest | manifest_row | results) name=json ;;
    pickle) name=pytorch ;;
    *) name=$1 ;;
  esac
  [ -f "tests/fuzz/dictionaries/$name.dict" ] && echo "-dict=tests/fuzz/dictionaries/$name.dict"
}

# show_input LOG: what the finding needs to be seen again, since a machine of CI keeps no file.
show_input() {
  local input
  input=$(sed -n 's/.*Test unit written to //p' "$1")
  [ -f "$input" ] || return
  echo "  $input, gzip and base64:"
  gzip -9nc "$input" | base64 -w 900 | head -n 20 | sed 's/^/  /'
}

# The same seeds give the same archive.
pack() {
  tar --sort=name --format=gnu --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=a=rX,u+w -C "$unpacked/$1" -cf - . |
    xz -9e >"$archives/$1.tar.xz"
}

# Where the archive is newer than what was unpacked of it.
unpack() {
  [ "$archives/$1.tar.xz" -nt "$unpacked/$1" ] || return 0
  rm -rf "${unpacked:?}/$1"
  mkdir -p "$unpacked/$1"
  tar -xf "$archives/$1.tar.xz" -C "$unpacked/$1"
  touch "$unpacked/$1"
}

# fuzz SECONDS TARGET
fuzz() {
  local seconds=$1 target=$2 log
  mkdir -p "$corpus/$target" "$findings"
  unpack "$target"
  log=$findings/$target.log
  # shellcheck disable=SC2046 # options, a word each
  if "$build/tests/fuzz/fuzz_$target" $(limits "$target") $(dictionary "$target") \
    -max_total_time="$seconds" -print_final_stats=1 -artifact_prefix="$findings/$target-" \
    "$corpus/$target" "$unpacked/$target" >"$log" 2>&1; then
    echo "$target: $(awk '/number_of_executed_units/ {print $2}' "$log") executions in $seconds s, nothing found"
  else
    echo "$target: FOUND, see $log"
    grep -E 'ERROR|SUMMARY|what\(\)|Test unit written to' "$log" | sed 's/^/  /'
    show_input "$log"
    return 1
  fi
}

case ${1:-} in
  --one) fuzz "$2" "$3" ; exit ;;
  --pack) pack "$2" ; exit ;;
  --unpack) unpack "$2" ; exit ;;
esac
seconds=${1:?usage: run.sh SECONDS [TARGET...]}
shift
targets=("$@")
[ $# -gt 0 ] || for seeds in "$archives"/*.tar.xz; do targets+=("$(basename "$seeds" .tar.xz)"); done

# Inputs are written as files thousands of times a second: to memory, where there is some.
work=$(TMPDIR=$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}") mktemp -d -t wnpu_fuzz_XXXXXX)
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work
# Findings end the process, so that libFuzzer keeps their input. What ASan keeps of freed memory counts for
# the limit of memory: little of it. Thread-local memory of libraries is not followed (tests/README.md). Both
# as in the preset. Of each allocation's callers few are kept, which saves a fifth of the time: the input
# behind a finding is there, to be run again with all of them.
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 ASAN_OPTIONS=detect_leaks=1:intercept_tls_get_addr=0:quarantine_size_mb=32:malloc_context_size=4
printf '%s\n' "${targets[@]}" | xargs -P 2 -I TARGET bash tests/fuzz/run.sh --one "$seconds" TARGET || exit 1
