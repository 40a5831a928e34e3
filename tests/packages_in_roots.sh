#!/bin/bash
# packages_in_roots.sh PACKAGES [SUITE...]: the Debian package in a clean bookworm root and the tarball in one
# of Ubuntu 18.04 (2018), each made by debootstrap: a transcript within three commands, every command of the package
# at work, and nothing left behind. PACKAGES is what app/package/make_packages.sh made. Of each SUITE, of Debian or
# Ubuntu: the package is made in a root of it, from this commit, and tried in a clean one. By hand: needs root, the
# network, and tiny.en and jfk.wav (app/quickstart.sh).
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
packages=$(cd "$1" && pwd)
shift
cache=${XDG_CACHE_HOME:-$HOME/.cache}/whisper-npu
work=$(mktemp -d)
expected='ask not what your country can do for you'
leave() {
  [ -z "${hub_server:-}" ] || kill "$hub_server"
  mount | cut -d' ' -f3 | grep "^$work/" | sort -r | xargs -r -n 1 umount
  rm -rf "$work"
}
trap leave EXIT
python3 "$source/tests/program/tools/serve_model.py" "$cache/tiny.en" >"$work/hub" &
hub_server=$!

# or_show LOG COMMAND...: quietly; where it fails, the end of what it said.
or_show() {
  local log=$1
  shift
  "$@" >"$log" 2>&1 || { tail -n 30 "$log"; exit 1; }
}

# make_root NAME SUITE
make_root() {
  local mirror=http://archive.ubuntu.com/ubuntu components=main,universe folder script=gutsy
  case $2 in
    bookworm | trixie | forky | sid) mirror=http://deb.debian.org/debian components=main script=sid ;;
  esac
  # One script makes all of Ubuntu's suites and another Debian's; debootstrap knows by name those of before it.
  [ ! -e "/usr/share/debootstrap/scripts/$2" ] || script=
  or_show "$work/$1.log" debootstrap --variant=minbase --no-check-gpg --components=$components "$2" "$work/$1" "$mirror" $script
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

# try_package SUITE FOLDER: what the package in the folder needs, and what is left when it alone is removed.
try_package() {
  local suite=$1 left
  make_root "$suite" "$suite"
  cp "$2"/*.deb "$work/$suite/user/"
  in_root "$suite" apt-get update -qq
  or_show "$work/log" in_root "$suite" sh -c 'apt-get install -y -qq --no-install-recommends /user/*.deb'
  says "$suite" whisper-npu --model /user/tiny.en /user/jfk.wav
  or_show "$work/log" in_root "$suite" whisper-npu doctor --model /user/tiny.en
  in_root "$suite" sh -c 'ldconfig -p | grep -q libwhisper_npu.so.0' || { echo "FAILED: ldconfig"; exit 1; }
  [ -e "$work/$suite/usr/share/bash-completion/completions/whisper-npu" ] || { echo "FAILED: completions"; exit 1; }
  try_commands "$suite"
  rm -rf "$work/$suite/user/.cache"
  in_root "$suite" apt-get purge -y -qq whisper-npu >/dev/null 2>&1
  left=$(files "$suite" | grep -i 'whisper' || true)
  [ -z "$left" ] || { echo "FAILED: left behind: $left"; exit 1; }
  in_root "$suite" sh -c 'find /user -newer /user/jfk.wav -name ".*"' | grep -v '^/user$' && { echo "FAILED: files in the home"; exit 1; }
  echo "$suite: the package installs, transcribes, does what each command is for, and leaves nothing"
}

# try_commands SUITE: with what `models pull` wants beside, which the package recommends.
try_commands() {
  in_root "$1" apt-get install -y -qq --no-install-recommends libcurl4 >/dev/null 2>&1
  mkdir -p "$work/$1/user/tests/program"
  cp "$source/tests/every_command.sh" "$work/$1/user/tests/"
  cp "$source/tests/program/expect.sh" "$work/$1/user/tests/program/"
  in_root "$1" bash /user/tests/every_command.sh whisper-npu /user/tiny.en /user/jfk.wav "$(cat "$work/hub")" \
    /usr/share/man/man1/whisper-npu.1 || exit 1
}

# make_in SUITE: the package, made in a root that has what app/packages.txt names; XRT only where the suite has it, and its
# Boost, where that is a later one.
make_in() {
  local root=$1-build name names=(file dpkg-dev nasm)
  make_root "$root" "$1"
  in_root "$root" apt-get update -qq
  for name in $(sed 's/#.*//' "$source/app/packages.txt"); do
    [[ "$name" = libboost* && "$1" != bookworm ]] && name=libboost1.83-dev
    if [ "$name" != libxrt-dev ] || in_root "$root" apt-cache show "$name" >/dev/null 2>&1; then names+=("$name"); fi
  done
  or_show "$work/log" in_root "$root" apt-get install -y -qq --no-install-recommends "${names[@]}"
  git clone -q --no-hardlinks "$source" "$work/$root/user/source"
  or_show "$work/log" in_root "$root" bash /user/source/app/package/make_packages.sh /user/out
}

try_package bookworm "$packages"
for suite in "$@"; do
  make_in "$suite"
  try_package "$suite" "$work/$suite-build/user/out"
done

make_root bionic bionic
cp "$packages"/whisper-npu-*.tar.gz "$work/bionic/user/"
in_root bionic sh -c 'cd /user && tar xf whisper-npu-*.tar.gz'
in_tarball() { says bionic sh -c 'cd /user/whisper-npu-* && exec ./whisper-npu --model /user/tiny.en "$@"' sh "$@"; }
in_tarball /user/jfk.wav
echo "Ubuntu 18.04: the tarball transcribes"
for kind in mp3 m4a flac opus wma; do
  ffmpeg -v error -i "$cache/samples/jfk.wav" -ar 44100 -ac 2 $([ $kind != opus ] || echo -ar 48000) "$work/bionic/user/44k.$kind"
  in_tarball "/user/44k.$kind"
done
in_tarball --isolate on /user/44k.mp3 /user/44k.flac
python3 -m http.server --bind 127.0.0.1 --directory "$work/bionic/user" 0 >"$work/port" 2>/dev/null &
server=$!
until port=$(grep -om1 'port [0-9]*' "$work/port"); do sleep 0.1; done
in_tarball "http://127.0.0.1:${port#port }/44k.m4a"
kill "$server"
echo "Ubuntu 18.04: without a library of its own it reads MP3, M4A, FLAC, Opus and WMA, a batch, and a URL"
