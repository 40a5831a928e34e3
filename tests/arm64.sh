#!/bin/bash
# The tests on ARM of 64 bits: built by the preset arm64 in a Debian 12 root with libraries of both
# architectures, run by qemu-user, the program in scripts too: all on a CPU with dot products of bytes, and what
# has kernels on one without. By hand: needs root, debootstrap and the network, and hours.
#   arm64.sh ROOT [CTEST_ARGUMENT...]     ROOT is made where it is missing and kept
#   WNPU_ARM_CPUS                         CPUs that qemu knows, instead of "max cortex-a53"
# Exit code 77: this machine cannot, with the reason.
set -euo pipefail
root=$(realpath -m "${1:?arm64.sh ROOT [CTEST_ARGUMENT...]}")
shift
source=$(cd "$(dirname "$0")/.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/whisper-npu
formats=/proc/sys/fs/binfmt_misc
skip() { echo "SKIP: $*"; exit 77; }
[ "$(uname -m)" = x86_64 ] || skip "a cross build from x86_64; here build and test as on any machine"
[ "$(id -u)" = 0 ] || skip "needs root, for debootstrap, chroot and binfmt_misc"
command -v debootstrap >/dev/null || skip "needs debootstrap"

in_root() {
  chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive "$@"
}
registered=
leave() {
  [ -z "$registered" ] || echo -1 >"$formats/wnpu-aarch64"
  for folder in root/.cache/whisper-npu source dev/pts dev proc; do
    if mountpoint -q "$root/$folder"; then umount "$root/$folder"; fi
  done
}
trap leave EXIT
bind() { # bind FOLDER PLACE
  mkdir -p "$root/$2"
  mountpoint -q "$root/$2" || mount --bind "$1" "$root/$2"
}

# The libraries of app/packages.txt for ARM, tools and packages without an architecture as they are, and of what
# tests need all but compilers and the browser. XRT is in Debian for amd64 alone: --device npu says so in what is
# built here.
packages() {
  local name
  for name in $(sed 's/#.*//' "$source/app/packages.txt" "$source"/tests/{,run_}packages.txt); do
    case $name in
      libxrt-dev | uuid-dev | g++ | python3-pip | python3-dev | chromium | clang* | lld | libclang* | mlir*) ;;
      nlohmann-json3-dev | libcli11-dev | doctest-dev) echo "$name" ;;
      ffmpeg | lib* | zlib1g-dev) echo "$name:arm64" ;;
      *) echo "$name" ;;
    esac
  done
  echo g++-aarch64-linux-gnu binutils qemu-user-static python3
}
[ -e "$root/etc/debian_version" ] ||
  debootstrap --variant=minbase bookworm "$root" http://deb.debian.org/debian >/dev/null
bind /proc proc
bind /dev dev
bind /dev/pts dev/pts
bind "$source" source
[ ! -d "$cache" ] || bind "$cache" root/.cache/whisper-npu
if [ ! -e "$root/usr/bin/aarch64-linux-gnu-g++" ]; then
  in_root dpkg --add-architecture arm64
  in_root apt-get update -qq
  # shellcheck disable=SC2046  # words
  in_root apt-get install -y -qq --no-install-recommends $(packages) >/dev/null
fi

# The kernel starts programs for ARM by the root's qemu (Documentation/admin-guide/binfmt-misc.rst); F: whatever
# root they are started in. The magic is that of an ELF file of 64 bits, EM_AARCH64 (183), that is executable.
[ -e "$formats/register" ] || mount -t binfmt_misc binfmt_misc "$formats" || skip "needs binfmt_misc"
if [ ! -e "$formats/qemu-aarch64" ] && [ ! -e "$formats/wnpu-aarch64" ]; then
  magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
  mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
  echo ":wnpu-aarch64:M::$magic:$mask:$root/usr/bin/qemu-aarch64-static:F" >"$formats/register"
  registered=yes
fi

in_root sh -c 'cd /source && cmake --preset arm64 >/dev/null && cmake --build --preset arm64 -- --quiet'
failures=0
for cpu in ${WNPU_ARM_CPUS:-max cortex-a53}; do
  echo "== $cpu"
  some=()
  [ "$cpu" = max ] || some=(--tests-regex '^(models|audio|encoder|decoder|instruction_sets)$')
  in_root env QEMU_CPU="$cpu" sh -c 'cd /source && exec ctest --preset arm64 "$@"' sh \
    --parallel "$(nproc)" "${some[@]}" "$@" || failures=$((failures + 1))
done
exit $((failures > 0))
