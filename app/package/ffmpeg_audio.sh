#!/bin/bash
# ffmpeg_audio.sh FOLDER: FFmpeg's libraries with what sound needs and no more, into FOLDER, with their licence: of
# the version of Debian's that the program is compiled against, from Debian's source, under the LGPL (Debian's own
# have GPL'ed parts and 120 libraries behind them). Needs dpkg-dev and nasm, whose arithmetic it is that gives the
# samples of Debian's libraries, bit for bit.
set -euo pipefail
out=$(mkdir -p "${1:?expected a folder}" && cd "$1" && pwd)
for tool in dpkg-source nasm; do
  command -v $tool >/dev/null || { echo "ffmpeg_audio.sh: expected $tool, of the packages dpkg-dev and nasm" >&2; exit 1; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Where apt has packages from, it has their sources.
mkdir -p "$work/lists/partial" "$work/sources" "$work/build"
for list in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
  [ ! -f "$list" ] || sed -E 's/^(Types:).*/\1 deb-src/; s/^deb /deb-src /' "$list" >"$work/sources/$(basename "$list")"
done
apt=(apt-get -qq -o "Dir::State::Lists=$work/lists" -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$work/sources"
  -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=root)
"${apt[@]}" update
# shellcheck disable=SC2016  # dpkg's variable
version=$(dpkg-query -W -f '${source:Version}' libavformat-dev)
(cd "$work" && "${apt[@]}" source "ffmpeg=$version" >"$work/log" 2>&1) || { cat "$work/log" >&2; exit 1; }
source=$(echo "$work"/ffmpeg-*/)

# The containers are those of audio/read/libav_decoder.cpp.
containers=aac,ac3,adx,aiff,amr,amrnb,amrwb,ape,aptx,asf,ast,au,avi,caf,dts,dv,eac3,flac,flv,g722,gsm,gxf,ircam,loas
containers=$containers,matroska,mlp,mmf,mov,mp3,mpc,mpc8,mpegps,mpegts,mxf,nut,ogg,rm,rso,sbc,shorten,sox,tak,truehd,tta,voc
containers=$containers,w64,wav,wtv,wv,xwma
codecs='aac,aac_latm,ac3,adpcm_*,alac,amrnb,amrwb,ape,aptx,atrac*,cook,dca,eac3,flac,g723_1,g729,gsm,gsm_ms,mlp,mp1*,mp2*,mp3*'
codecs=$codecs',mpc7,mpc8,nellymoser,opus,pcm_*,qcelp,qdm2,ra_144,ra_288,ralf,sbc,shorten,sipr,tak,truehd,tta,vorbis,wavpack'
codecs=$codecs',wma*,xma*'
configure=(--disable-everything --disable-autodetect --disable-programs --disable-doc --disable-network --disable-avdevice
  --disable-avfilter --disable-swscale --disable-debug --disable-static --enable-shared --enable-zlib
  "--enable-demuxer=$containers" "--enable-decoder=$codecs"
  --enable-parser=aac,aac_latm,ac3,adx,amr,cook,dca,flac,gsm,mlp,mpegaudio,opus,sbc,tak,vorbis,xma)
(cd "$work/build" && "$source/configure" "--prefix=$work/installed" "${configure[@]}" &&
  make -j "$(nproc)" install) >"$work/log" 2>&1 || { tail -n 30 "$work/log" >&2; exit 1; }
for library in libavformat libavcodec libavutil libswresample; do
  file=$(echo "$work/installed/lib/$library".so.*.*.*)
  cp "$file" "$out/$(basename "$file" | cut -d. -f1-3)" # libavformat.so.59, as it is loaded
done
{
  echo "libavformat, libavcodec, libavutil and libswresample of FFmpeg: Debian's source ffmpeg $version, configured with"
  printf '    %s\n' "${configure[@]}"
  echo "Under the GNU Lesser General Public License, version 2.1 or later:"
  cat "$source/COPYING.LGPLv2.1"
} >"$out/FFMPEG"
