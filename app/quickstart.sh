#!/bin/bash
# quickstart.sh [--model tiny.en|base]: from a fresh Debian 12 with nothing but git to a transcript: packages, Release
# build, weights, a recording. May be run again: what is done already is not done twice.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
cd "$root"
case "$*" in
  "" | "--model tiny.en") model=tiny.en ;;
  "--model base") model=base ;;
  *) echo "quickstart.sh: expected nothing, --model tiny.en or --model base, found $*" >&2; exit 2 ;;
esac

say "1/4 packages (app/packages.txt)"
install_packages app/packages.txt

fetch_onnxruntime || echo "ONNX Runtime's header could not be fetched: the build will have no --device ort" >&2

say "2/4 build (build/release)"
cmake --preset release >/dev/null
cmake --build --preset release

say "3/4 weights and a recording"
fetch_samples
[ $model = tiny.en ] || fetch_base

say "4/4 transcribe"
program=build/release/app/whisper-npu
echo "$program transcribe --model $model --verbose $sample"
"$program" transcribe --model $model --verbose "$sample"

say "done in $SECONDS s"
echo "Next: $root/$program transcribe YOUR_FILE (--help shows the options)"
