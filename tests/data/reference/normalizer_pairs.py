"""Texts as openai-whisper's normalisers leave them."""
import json

from whisper.normalizers import BasicTextNormalizer, EnglishTextNormalizer

from reference.files import write_json


def make(here, folder):
    texts = json.loads((here / "texts/normalizer.json").read_text(encoding="ascii"))
    columns = {"english": EnglishTextNormalizer(), "basic": BasicTextNormalizer(),
               "basic_remove_diacritics": BasicTextNormalizer(remove_diacritics=True),
               "basic_split_letters": BasicTextNormalizer(split_letters=True)}
    write_json(folder / "pairs.json", {"pairs": [
        {"raw": raw, **{name: normalize(raw) for name, normalize in columns.items()}}
        for raw in texts["raw"]]})
