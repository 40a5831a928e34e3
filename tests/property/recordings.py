"""Recordings of every kind, as the bytes of files: short, or cheap by a low rate."""
import math
import random
import struct

RATES = [1, 999, 1000, 1001, 4000, 8000, 11025, 16000, 22050, 44100, 48000, 96000, 192000, 384000]
CHANNELS = [1, 1, 1, 2, 2, 3, 6, 8, 17, 64]
KINDS = ["silence", "noise", "tone", "click", "square"]
# Of a WAV file: bytes a sample, format tag (1 PCM, 3 IEEE float), and ffmpeg's name without "le".
WIDTHS = {"u8": (1, 1), "s16": (2, 1), "s24": (3, 1), "s32": (4, 1), "f32": (4, 3), "f64": (8, 3)}
RAW_FORMATS = ["s8", "u8", "s16le", "s16be", "s24le", "s24be", "s32le", "s32be", "f32le", "f32be", "f64le",
               "f64be"]
MOST_BYTES = 1 << 20
WINDOW_S = 30
MEL_FRAME_S = 0.01
BLOCK = 1024  # frames that are repeated: a second of sound costs no more than that


def sample(kind, rng, i, rate):
    if kind == "noise":
        return rng.uniform(-1, 1)
    if kind == "tone":
        return 0.5 * math.sin(2 * math.pi * 440 * i / max(rate, 880))
    if kind == "square":
        return 1.0 if i // 20 % 2 else -1.0
    return 0.9 if kind == "click" and i == BLOCK // 2 else 0.0


def encoded(value, width, big_endian=False):
    order = ">" if big_endian else "<"
    if width in ("f32", "f64"):
        return struct.pack(order + ("f" if width == "f32" else "d"), value)
    if width == "u8":
        return bytes([max(0, min(255, round(128 + 127 * value)))])
    size = 1 if width == "s8" else WIDTHS[width][0]
    whole = round(value * ((1 << (8 * size - 1)) - 1))
    return whole.to_bytes(size, "big" if big_endian else "little", signed=True)


def samples(rng, kind, frames, rate, channels, width, big_endian=False):
    """`frames` frames of `channels` samples; a block of them is repeated."""
    block = b"".join(encoded(sample(kind, rng, i, rate), width, big_endian) * channels
                     for i in range(min(frames, BLOCK)))
    frame = len(block) // max(1, min(frames, BLOCK))
    return (block * (frames // BLOCK + 1))[:frames * frame]


def seconds(rng):
    """Lengths: next to nothing, up to three seconds, and every mel frame around a window's end."""
    choice = rng.random()
    if choice < 0.25:
        return rng.randint(0, 40) * MEL_FRAME_S + rng.choice([0, 0, 0.001, 0.0049, 0.005])
    if choice < 0.7:
        return rng.uniform(0, 3)
    return max(0, WINDOW_S + rng.randint(-5, 5) * MEL_FRAME_S + rng.choice([0, 0, 1 / 16000, -1 / 16000]))


def shape(rng):
    """Rate, channels, width and number of frames, of at most MOST_BYTES."""
    rate, channels = rng.choice(RATES + [16000] * 12), rng.choice(CHANNELS)
    width = rng.choice(list(WIDTHS) + ["s16"] * 6)
    frames = rng.choice([0, 1, 2, 159, 160, 161, 400]) if rng.random() < 0.12 else round(seconds(rng) * rate)
    most = MOST_BYTES // (channels * WIDTHS[width][0])
    return rate, channels, width, min(frames, most)


def wav(rng):
    rate, channels, width, frames = shape(rng)
    size, tag = WIDTHS[width]
    data = samples(rng, rng.choice(KINDS), frames, rate, channels, width)
    length = rng.choice([len(data)] * 8 + [0xFFFFFFFF, 0, len(data) + 1000, len(data) // 2])
    head = struct.pack("<HHIIHH", tag, channels, rate, rate * channels * size & 0xFFFFFFFF, channels * size,
                       8 * size)
    if rng.random() < 0.2:  # WAVE_FORMAT_EXTENSIBLE
        guid = struct.pack("<HHI", tag, 0, 0x00100000) + bytes.fromhex("800000aa00389b71")
        head = struct.pack("<H", 0xFFFE) + head[2:] + struct.pack("<HHI", 22, 8 * size, 0) + guid
    chunks = b"fmt " + struct.pack("<I", len(head)) + head
    if rng.random() < 0.1:
        chunks += b"LIST" + struct.pack("<I", 4) + b"INFO"
    chunks += b"data" + struct.pack("<I", length) + data
    return b"RIFF" + struct.pack("<I", min(len(chunks) + 4, 0xFFFFFFFF)) + b"WAVE" + chunks


def decodable_wav(rng):
    """One that the program takes: its rate and channels are within its bounds, and there is a frame."""
    while True:
        data = wav(rng)
        channels, rate = struct.unpack_from("<HI", data, 22)
        if 1000 <= rate <= 768000 and 1 <= channels <= 64 and not data.endswith(b"data" + data[-4:]):
            return data


def damaged(rng):
    """What is no recording, or one that was cut or changed."""
    data = bytearray(wav(rng))
    choice = rng.randint(0, 4)
    if choice == 0:
        return b""
    if choice == 1:
        return b"text, and no recording\n" * rng.randint(1, 50)
    if choice == 2:
        return bytes(data[:rng.randint(1, max(1, min(len(data) - 1, 200)))])
    if choice == 3:
        for _ in range(rng.randint(1, 20)):
            data[rng.randrange(min(len(data), 80))] = rng.randrange(256)
        return bytes(data)
    return rng.randbytes(rng.randint(1, 3000))


def raw(rng, name):
    """(bytes, "FORMAT:RATE:CHANNELS") of samples for stdin; `name` of RAW_FORMATS."""
    rate, channels, _, frames = shape(rng)
    width = name[:-2] if name.endswith(("le", "be")) else name
    data = samples(rng, rng.choice(KINDS), min(frames, MOST_BYTES // (8 * channels)), rate, channels, width,
                   name.endswith("be"))
    return data + bytes(rng.choice([0, 0, 0, 1])), f"{name}:{rate}:{channels}"


def compressed(folder, run):
    """Writes a few files of other formats by ffmpeg, where it is there; their names."""
    names = []
    for name, seed in (("a.flac", 1), ("b.mp3", 2), ("c.ogg", 3), ("d.m4a", 4), ("e.mkv", 5)):
        rng = random.Random(seed)
        source = folder / "source.raw"
        source.write_bytes(samples(rng, "noise", 24000, 16000, 1, "s16"))
        if run(["ffmpeg", "-v", "error", "-y", "-f", "s16le", "-ar", "16000", "-i", source, folder / name]):
            names.append(folder / name)
    return names
