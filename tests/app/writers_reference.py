#!/usr/bin/env python3
"""What openai-whisper's own writers write for the transcripts of tests/app/writers_reference_test.cpp.

    pip install openai-whisper==20250625 && python3 tests/app/writers_reference.py

prints the table of that test: a layout, a format, and the FNV-1a hash of 400 files, one after the
other. What differs on purpose is made the same here: the arrow in words, newlines in rows of tsv, and no
word goes on without white space in Latin text. The generator stands in both; a piece of text, an option
or a draw that is changed here has to be changed there.
"""
import io

import whisper.utils as openai

PIECES = [
    " and", " so", " my", " fellow", " Americans,", " it's", " -->", "\tTab", "  two spaces", " \"q\"",
    "日本", "語。", "「東京」", "\u3000全角", " 한국어", "中文，", " Ünï", " e\u0301", " 😀", "👩\u200d👩\u200d👧", "🇯🇵", " مرحبا",
    " a\u00a0b", " \x01", " line\nbreak", " <i>&amp;", " -", " .", " 12,345.67", " end.",
]
LAYOUTS = [
    {},
    {"max_line_width": 16},
    {"max_line_width": 24, "max_line_count": 2},
    {"max_words_per_line": 3},
    {"highlight_words": True},
]


class Draws:
    """Knuth's MMIX generator; its upper bits."""

    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % n


def transcript(draws, with_words, as_rows):
    segments, now = [], draws.below(4096)
    for _ in range(1 + draws.below(5)):
        words, texts = [], []
        for _ in range(1 + draws.below(9)):
            start = now + draws.below(3) * draws.below(20000)
            now = start + draws.below(3000)
            # Multiples of 2**-12 s: exact, and halfway between milliseconds now and then.
            text = PIECES[draws.below(len(PIECES))]
            texts.append(text.replace("\n", " ") if as_rows else text)
            words.append({"word": text.replace("-->", "->"), "start": start / 4096, "end": now / 4096, "probability": 0.5})
        now += draws.below(5) * draws.below(3000000)
        segment = {"start": words[0]["start"], "end": words[-1]["end"]}
        segment["text"] = "".join(texts)
        if with_words:
            segment["words"] = words
        segments.append(segment)
    return {"segments": segments}


def fnv1a(data, value=0xCBF29CE484222325):
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def main():
    writers = {"txt": openai.WriteTXT, "srt": openai.WriteSRT, "vtt": openai.WriteVTT, "tsv": openai.WriteTSV}
    for index, layout in enumerate(LAYOUTS):
        for name, writer in writers.items():
            draws, value = Draws(index + 1), 0xCBF29CE484222325
            for _ in range(400):
                out = io.StringIO()
                writer("").write_result(transcript(draws, index > 0, name == "tsv"), file=out, options={}, **layout)
                value = fnv1a(out.getvalue().encode(), value)
            print(f"    {{{index}, Format::{name}, 0x{value:016x}}},")


main()
