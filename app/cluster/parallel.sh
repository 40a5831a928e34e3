#!/bin/bash
# parallel.sh SHARDS IN.jsonl FOLDER [OPTIONS OF TRANSCRIBE...]: a manifest on one machine, with GNU parallel.
#
# Shard i writes FOLDER/shard-i.jsonl. Started again with the same words it does what is missing there.
# JOBS processes work at once (default: SHARDS), on an equal part of the CPUs each; --threads among the options
# says otherwise. WHISPER_NPU is the program. Exit code: how many shards failed (README.md).
set -euo pipefail
[ $# -ge 3 ] || { sed -n 2,6p "$0" >&2; exit 2; }
export shards=$1 manifest=$2 folder=$3
shift 3
jobs=${JOBS:-$shards}
export threads=$(($(nproc) / jobs > 0 ? $(nproc) / jobs : 1))
mkdir -p "$folder"

# shard I [OPTIONS...]: tried again where that may help.
shard() {
  local code try i=$1
  shift
  for try in 1 2 3; do
    code=0
    "${WHISPER_NPU:-whisper-npu}" transcribe --manifest "$manifest" --shard "$i/$shards" \
      --resume "$folder/shard-$i.jsonl" --threads "$threads" "$@" || code=$?
    case $code in
      0 | 1 | 2 | 3 | 4 | 8) break ;; # done, or the same another time
    esac
    echo "shard $i: exit code $code at try $try of 3" >&2
  done
  return $code
}
export -f shard

# -q: options reach transcribe as they are. exec: signals reach GNU parallel, which begins nothing new after the first
# SIGTERM and ends its programs at the second.
export PARALLEL_SHELL=$BASH
# shellcheck disable=SC2046 # numbers
exec parallel -q --jobs "$jobs" --line-buffer --termseq TERM,5000,KILL --joblog "$folder/jobs.log" \
  shard {} "$@" ::: $(seq "$shards") </dev/null
