#!/usr/bin/env bash
# Sets up the programs that whisper-npu is measured against, in a virtual environment of their own
# under ${XDG_CACHE_HOME:-~/.cache}/whisper-npu/peers, and writes the ggml files that whisper.cpp
# needs from a CTranslate2 model folder. Run again, it does only what is missing.
#
#   bash bench/peers.sh CT2_FOLDER [--with-openai] [--native] [--openvino] [--server]
#   bash bench/peers.sh --normalizer
#
# --with-openai adds openai-whisper, which brings torch (large); --native compiles whisper.cpp for
# this machine instead of taking the wheel, which is made for AVX2. --openvino sets up OpenVINO GenAI
# and its model instead, with an exporter that brings torch (6 GB). --server adds what
# bench/peers/faster_whisper_server.py needs. --normalizer sets up what word
# error rates need, and no programs.
#
# Its last line is the path of the environment's python; bench/peers.py runs a peer with it, and
# bench/normalize.py openai-whisper's text normalisers for word error rates.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
usage='usage: bash bench/peers.sh CT2_FOLDER [--with-openai] [--native] [--openvino] [--server], or --normalizer'
model=${1:?$usage}
shift
packages=(whisper-normalizer==0.1.15)
[ "$model" = --normalizer ] || packages+=(faster-whisper==1.2.1 pywhispercpp==1.5.1)
native=() openvino=
for option in "$@"; do
  case $option in
    --with-openai) packages+=(openai-whisper==20250625) ;;
    --server) packages+=(fastapi==0.165.0 uvicorn==0.54.0 python-multipart==0.0.34) ;;
    --native) native=(--no-binary pywhispercpp) ;;
    --openvino) openvino=1 packages=(faster-whisper==1.2.1 openvino-genai==2026.4.1.0 optimum-intel==2.2.0) ;;
    *) echo "$usage" >&2 && exit 2 ;;
  esac
done
folder=${XDG_CACHE_HOME:-$HOME/.cache}/whisper-npu/peers
venv=$folder/venv${native:+-native}${openvino:+-openvino}
python=$venv/bin/python

if [ ! -x "$python" ]; then
  echo "peers: new virtual environment $venv" >&2
  # Debian's pip installs into it from outside: python3-venv, for one inside, need not be there.
  python3 -m venv --without-pip "$venv"
  # One without its packages would be taken for one that has them.
  trap 'rm -rf "$venv"' EXIT
fi
installed='
import sys
from importlib.metadata import PackageNotFoundError, version
name, wanted = sys.argv[1].split("==")
try:
    sys.exit(version(name) != wanted)
except PackageNotFoundError:
    sys.exit(1)
'
for package in "${packages[@]}"; do
  if ! "$python" -c "$installed" "$package"; then
    echo "peers: installing $package" >&2
    python3 -m pip --python "$python" install --quiet "${native[@]}" "$package" >&2
  fi
done
trap - EXIT

if [ "$model" = --normalizer ]; then
  echo "$python"
  exit
fi
name=$(basename "$(cd "$model" && pwd)")
if [ -n "$openvino" ]; then
  if [ ! -d "$folder/$name-openvino" ]; then
    echo "peers: writing $folder/$name-openvino" >&2
    "$python" "$here/ct2_to_openvino.py" "$model" "$folder/$name-openvino" >&2
  fi
  echo "$python"
  exit
fi
for type in f16 q8_0; do
  ggml=$folder/$name-$type.bin
  if [ ! -f "$ggml" ] || [ "$model/model.bin" -nt "$ggml" ]; then
    echo "peers: writing $ggml" >&2
    "$python" "$here/ct2_to_ggml.py" "$model" "$ggml.part" --type "$type"
    mv "$ggml.part" "$ggml"
  fi
done
echo "$python"
