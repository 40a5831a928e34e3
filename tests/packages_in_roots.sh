#!/bin/bash
# packages_in_roots.sh PACKAGES: the Debian package in a clean bookworm root and the tarball in one of
# Ubuntu 18.04 (2018), each made by debootstrap: a transcript within three commands, and nothing left
# behind. PACKAGES is what app/package/make_packages.sh made. By hand: needs root, the network, and
# tiny.en and jfk.wav (app/quickstart.sh).
set -euo pipefail
packages=$(cd "$1" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/whisper-npu
work=$(mktemp -d)
expected='ask not what your country can do for you'
leave() {
  mount | cut -d' ' -f3 | grep "^$work/" | sort -r | xargs -r -n 1 umount
  rm -rf "$work"
}
trap leave EXIT

# make_root NAME SUITE MIRROR
make_root() {
  debootstrap --variant=minbase --no-check-gpg "$2" "$work/$1" "$3" >"$work/$1.log" 2>&1 ||
    { tail "$work/$1.log"; exit 1; }
  for folder in proc dev; do mount --bind "/$folder" "$work/$1/$folder"; done
  mkdir -p "$work/$1/user"
  cp -r "$cache/tiny.en" "$cache/samples/jfk.wav" "$work/$1/user/"
}
in_root() {
  local root=$1
  shift
  chroot "$work/$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/user LANG=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive "$@"
}
says() { # says ROOT COMMAND...
  local text
  text=$(in_root "$@" 2>"$work/err") || { echo "FAILED: $*: $(cat "$work/err")"; exit 1; }
  grep -q "$expected" <<<"$text" || { echo "FAILED: $*: found $text"; exit 1; }
}
files() { (cd "$work/$1" && find usr etc opt var/lib -xdev ! -path 'var/lib/dpkg/*' ! -path 'var/lib/apt/*' | sort); }

make_root bookworm bookworm http://deb.debian.org/debian
cp "$packages"/*.deb "$work/bookworm/user/"
in_root bookworm apt-get update -qq
# What the package needs, and what is left when it alone is removed.
in_root bookworm sh -c 'apt-get install -y -qq --no-install-recommends /user/*.deb' >"$work/log" 2>&1 ||
  { tail "$work/log"; exit 1; }
says bookworm whisper-npu --model /user/tiny.en /user/jfk.wav
in_root bookworm whisper-npu doctor --model /user/tiny.en >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
in_root bookworm sh -c 'ldconfig -p | grep -q libwhisper_npu.so.0' || { echo "FAILED: ldconfig"; exit 1; }
[ -e "$work/bookworm/usr/share/bash-completion/completions/whisper-npu" ] || { echo "FAILED: completions"; exit 1; }
rm -rf "$work"/bookworm/user/.cache
files bookworm >"$work/with"
in_root bookworm apt-get purge -y -qq whisper-npu >/dev/null 2>&1
files bookworm >"$work/without"
left=$(grep -i 'whisper' "$work/without" || true)
[ -z "$left" ] || { echo "FAILED: left behind: $left"; exit 1; }
in_root bookworm sh -c 'find /user -newer /user/jfk.wav -name ".*"' | grep -v '^/user$' && { echo "FAILED: files in the home"; exit 1; }
echo "bookworm: the package installs, transcribes, and leaves nothing"

make_root bionic bionic http://archive.ubuntu.com/ubuntu
cp "$packages"/whisper-npu-*.tar.gz "$work/bionic/user/"
in_root bionic sh -c 'cd /user && tar xf whisper-npu-*.tar.gz'
says bionic sh -c 'cd /user/whisper-npu-* && ./whisper-npu --model /user/tiny.en /user/jfk.wav'
echo "Ubuntu 18.04: the tarball transcribes"
