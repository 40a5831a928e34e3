#!/bin/sh
# The device path on the real XRT 2.25 and libxrt_driver_xdna of Debian forky, in a folder of its own,
# against a stand-in for the kernel driver: no NPU, kernel module or /dev/accel is needed.
#
#   tests/xrt_forky.sh [folder]     default: ${XDG_CACHE_HOME:-~/.cache}/whisper-npu-tests
#
# Exit codes: 0 all tests passed, 77 skipped (the reason is the last line), else a failure.
# As root; packages come from the Debian mirror that this machine's apt uses. The folder is kept:
# the second time only what changed is built. Environment: PRESETS="dev asan" (default).
set -eu

source_dir=$(cd "$(dirname "$0")/.." && pwd)
cache=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/whisper-npu-tests}
root=$cache/forky
presets=${PRESETS:-dev asan}
# The project's own list, the driver's user side, and what the tests need.
packages="$(sed 's/#.*//; /pip/d' "$source_dir/app/packages.txt" | tr '\n' ' ')
  libxrt-npu2 linux-libc-dev doctest-dev ccache"

skip() {
  echo "SKIP: $1"
  exit 77
}

# The mirror of this machine's Debian packages, from either form of apt's sources.
mirror() {
  apt-get indextargets --format '$(REPO_URI) $(CREATED_BY)' 2>/dev/null |
    awk '$2 == "Packages" && $1 ~ /\/debian\/?$/ { print $1; exit }'
}

make_root() {
  command -v debootstrap >/dev/null || skip "debootstrap is not installed"
  uri=$(mirror)
  [ -n "$uri" ] || skip "apt has no Debian mirror (a source that ends in /debian)"
  # Older releases of debootstrap have no script called forky; sid's serves it.
  script=/usr/share/debootstrap/scripts/sid
  rm -rf "$root.new"
  debootstrap --variant=minbase forky "$root.new" "$uri" "$script" >"$cache/debootstrap.log" 2>&1 ||
    skip "no forky from $uri: $(tail -n 1 "$cache/debootstrap.log")"
  mv "$root.new" "$root"
}

in_root() {
  chroot "$root" /usr/bin/env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin HOME=/root \
    DEBIAN_FRONTEND=noninteractive CCACHE_DIR=/build/ccache "$@"
}

install_packages() {
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  # How this machine fetches packages (proxies, age of release files) holds there too.
  apt-config dump | grep '^Acquire::' >"$root/etc/apt/apt.conf.d/10acquire" || true
  # shellcheck disable=SC2086 # a list of words
  in_root dpkg-query -W $packages >/dev/null 2>&1 && return
  { in_root apt-get update && in_root apt-get install -y --no-install-recommends $packages; } \
    >"$cache/packages.log" 2>&1 || skip "packages: $(tail -n 1 "$cache/packages.log")"
}

# A copy: what is built stays the same however long it takes. Times are kept, so that the second
# build does only what changed.
copy_source() {
  rm -rf "$root/source"
  mkdir -p "$root/source"
  tar -C "$source_dir" --exclude=./build --exclude=./.git -cf - . | tar -C "$root/source" -xf -
}

mount_proc() {
  mkdir -p "$root/proc"
  mount -t proc proc "$root/proc" || skip "this user may not mount /proc in $root"
  trap 'umount "$root/proc"' EXIT
}

test_preset() {
  in_root cmake -S /source --preset "$1" -B "/build/$1" -DWNPU_XRT=ON -DWNPU_WERROR=OFF \
    -DCMAKE_CXX_COMPILER_LAUNCHER=ccache >"$cache/configure-$1.log" 2>&1 ||
    { tail -n 20 "$cache/configure-$1.log"; return 1; }
  in_root cmake --build "/build/$1" --target xdna_mock xrt_xdna_tests xrt_transcribe_files whisper-npu
  in_root env UBSAN_OPTIONS=halt_on_error=1 \
    ctest --test-dir "/build/$1" --output-on-failure -R '^xrt_xdna'
}

[ "$(id -u)" = 0 ] || skip "chroot needs root"
mkdir -p "$cache"
[ -x "$root/usr/bin/apt-get" ] || make_root
install_packages
copy_source
mount_proc
for preset in $presets; do
  echo "== $preset"
  test_preset "$preset"
done
