#!/bin/bash
# A manifest as a Slurm array job, a shard a task:
#
#   sbatch --array=1-64 slurm_array.sh 64 IN.jsonl FOLDER [OPTIONS OF TRANSCRIBE...]
#
# Task i does shard i of the number that comes first, and writes FOLDER/shard-i.jsonl. Submitted again, as a whole
# or with some of its tasks (--array=3,17), it does what is missing there. Options of sbatch take the place
# of those below. WHISPER_NPU is the program. What each exit code means: README.md.
#SBATCH --job-name=whisper-npu
#SBATCH --cpus-per-task=4
#SBATCH --mem-per-cpu=1G
#SBATCH --requeue
#SBATCH --open-mode=append
set -euo pipefail
[ $# -ge 3 ] && [ -n "${SLURM_ARRAY_TASK_ID:-}" ] || { sed -n 2,8p "$0" >&2; exit 2; }
shards=$1 manifest=$2 folder=$3 i=$SLURM_ARRAY_TASK_ID
shift 3
mkdir -p "$folder"

code=0
"${WHISPER_NPU:-whisper-npu}" transcribe --manifest "$manifest" --shard "$i/$shards" \
  --resume "$folder/shard-$i.jsonl" --threads "${SLURM_CPUS_PER_TASK:-1}" "$@" || code=$?
case $code in
  0 | 1 | 2 | 3 | 4 | 8) exit $code ;; # done, or the same another time
esac
# Killed, no memory, no room: once more, perhaps on another node.
restarts=${SLURM_RESTART_COUNT:-0}
echo "shard $i: exit code $code after $restarts restarts" >&2
[ "$restarts" -ge 3 ] || scontrol requeue "$SLURM_JOB_ID"
exit $code
