"""The first three seconds of jfk.wav as ffmpeg writes them in other formats."""
import subprocess

from reference.files import CACHE

FORMATS = {
    "mono.mp3": "-ar 16000 -ac 1 -c:a libmp3lame -b:a 24k",
    "stereo.m4a": "-ar 44100 -ac 2 -c:a aac -b:a 48k",
    "narrow.ogg": "-ar 8000 -ac 1 -c:a libvorbis -q:a 1",
    "stereo.webm": "-ar 48000 -ac 2 -c:a libopus -b:a 24k",
    "mono.wma": "-ar 22050 -ac 1 -c:a wmav2 -b:a 32k",
    "bytes.wav": "-ar 11025 -ac 1 -c:a pcm_u8",
}


def make(_, folder):
    for name, arguments in FORMATS.items():
        subprocess.run(["ffmpeg", "-loglevel", "error", "-y", "-threads", "1", "-t", "3",
                        "-i", CACHE / "samples/jfk.wav", "-map_metadata", "-1",
                        *arguments.split(), "-fflags", "+bitexact", "-flags:a", "+bitexact",
                        folder / name], check=True)
