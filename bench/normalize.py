#!/usr/bin/env python3
"""openai/whisper's text normalisers, with which word error rates are measured, for `whisper-npu bench`.

Standard input has a line of JSON a text: {"language": "en", "text": "..."}; each is answered, before
the next is read, with {"text": "..."}: normalised by EnglishTextNormalizer where the language is en,
else by BasicTextNormalizer. {"error": "..."} answers all where the package whisper-normalizer, which
has openai's two as they are, is not in this Python's environment."""

import json
import sys


def normalizers():
    from whisper_normalizer.basic import BasicTextNormalizer
    from whisper_normalizer.english import EnglishTextNormalizer

    return EnglishTextNormalizer(), BasicTextNormalizer()


def answers(lines):
    try:
        english, basic = normalizers()
    except ImportError as error:
        yield from ({"error": str(error)} for _ in lines)
        return
    for line in lines:
        asked = json.loads(line)
        normalize = english if asked["language"] == "en" else basic
        yield {"text": normalize(asked["text"])}


def main():
    sys.stdin.reconfigure(encoding="utf-8")
    for answer in answers(iter(sys.stdin.readline, "")):
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
