#!/bin/bash
# The tests on ARM of 64 bits: built by the preset arm64 in a Debian 12 root with libraries of both
# architectures, run by qemu-user on a CPU with dot products of bytes and on one without. By hand: needs
# root, debootstrap and the network, and many minutes.
#   arm64.sh ROOT [FOLDER...]      ROOT is made where it is missing and kept; folders of tests: models
#   WNPU_ARM_CASES                 test cases, as doctest's -tc takes them; all but whole models if not set
# Exit code 77: this machine cannot, with the reason.
set -euo pipefail
root=$(realpath -m "${1:?arm64.sh ROOT [FOLDER...]}")
shift
folders=("${@:-models}")
source=$(cd "$(dirname "$0")/.." && pwd)
skip() { echo "SKIP: $*"; exit 77; }
[ "$(uname -m)" = x86_64 ] || skip "a cross build from x86_64; here build and test as on any machine"
[ "$(id -u)" = 0 ] || skip "needs root, for debootstrap and chroot"
command -v debootstrap >/dev/null || skip "needs debootstrap"

in_root() {
  chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive "$@"
}
leave() {
  for folder in source dev proc; do
    if mountpoint -q "$root/$folder"; then umount "$root/$folder"; fi
  done
}
trap leave EXIT

# The libraries of app/packages.txt for ARM, tools and packages without an architecture as they are.
# XRT is in Debian for amd64 alone: --device npu says so in what is built here.
packages() {
  local name
  for name in $(grep -hv '^#' "$source/app/packages.txt") doctest-dev; do
    case $name in
      libxrt-dev | uuid-dev | g++ | python3-pip) ;;
      nlohmann-json3-dev | libcli11-dev | doctest-dev) echo "$name" ;;
      *-dev) echo "$name:arm64" ;;
      *) echo "$name" ;;
    esac
  done
  echo g++-aarch64-linux-gnu qemu-user-static python3 libopenblas0:arm64 libasound2:arm64
}
[ -e "$root/etc/debian_version" ] ||
  debootstrap --variant=minbase bookworm "$root" http://deb.debian.org/debian >/dev/null
mkdir -p "$root/source"
mountpoint -q "$root/proc" || mount --bind /proc "$root/proc"
mountpoint -q "$root/dev" || mount --bind /dev "$root/dev"
mountpoint -q "$root/source" || mount --bind "$source" "$root/source"
if [ ! -e "$root/usr/bin/aarch64-linux-gnu-g++" ]; then
  in_root dpkg --add-architecture arm64
  in_root apt-get update -qq
  # shellcheck disable=SC2046  # words
  in_root apt-get install -y -qq --no-install-recommends $(packages) >/dev/null
fi
in_root sh -c 'qemu-aarch64-static -cpu max /usr/lib/aarch64-linux-gnu/ld-linux-aarch64.so.1 --version' >/dev/null ||
  skip "qemu-aarch64-static cannot run here"

in_root sh -c 'cd /source && cmake --preset arm64 >/dev/null'
in_root sh -c "cd /source && cmake --build build/arm64 -j $(nproc) --target ${folders[*]/%/_tests}"

# Whole models and the simulator take minutes each here.
cases=(--test-case-exclude='*openai-whisper*,npu *,*tiny.en*')
[ -z "${WNPU_ARM_CASES:-}" ] || cases=("-tc=$WNPU_ARM_CASES")
failures=0
for cpu in max cortex-a53; do
  for folder in "${folders[@]}"; do
    echo "== $folder on $cpu"
    in_root sh -c 'cd /source && exec "$@"' sh qemu-aarch64-static -cpu "$cpu" \
      "build/arm64/tests/${folder}_tests" "${cases[@]}" || failures=$((failures + 1))
  done
done
exit $((failures > 0))
