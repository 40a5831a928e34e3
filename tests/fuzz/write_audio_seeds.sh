#!/bin/bash
# write_audio_seeds.sh FOLDER: FOLDER/audio/<name>, ten milliseconds of a tone in each kind of file
# that FFmpeg writes small. By hand, where a reader takes something new.
set -euo pipefail
out=$1/audio
mkdir -p "$out"
# encode NAME OPTION...
encode() {
  ffmpeg -v error -y -f lavfi -i sine=frequency=400:duration=0.01:sample_rate=8000 \
    -fflags +bitexact -flags +bitexact -map_metadata -1 "${@:2}" "$out/$1"
}
for codec in pcm_u8 pcm_s16le pcm_s24le pcm_f32le pcm_f64le pcm_mulaw adpcm_ima_wav; do
  encode "$codec.wav" -c:a "$codec"
done
encode stereo.wav -ac 2
encode six.wav -ac 6
encode rf64.wav -rf64 always
encode w64.w64
encode aiff.aiff
encode au.au
encode caf.caf
encode flac.flac
# Without its 8 KB of padding: input_folder.h says how zeros are written.
/usr/bin/python3 - "$out/flac.flac" <<'PYTHON'
import re, struct, sys
path = sys.argv[1]
with open(path, "rb") as file:
    data = file.read()
with open(path, "wb") as file:
    file.write(re.sub(b"\0{12,}", lambda m: b"\xf5Z" + struct.pack("<I", len(m.group())), data))
PYTHON
encode mp3.mp3 -write_xing 0 -id3v2_version 0
encode vorbis.ogg -c:a libvorbis
encode opus.ogg -c:a libopus
encode aac.m4a
encode opus.webm -c:a libopus
encode wma.asf -c:a wmav2
encode wv.wv
encode adts.aac
