"""Tokens of openai-whisper's two vocabularies (tiktoken): encoding, decoding, special tokens."""
import json

from whisper.tokenizer import LANGUAGES, TO_LANGUAGE_CODE, get_tokenizer

from reference.files import write_json

# A name, openai-whisper's arguments, and the size of the vocabulary.
VOCABULARIES = {
    "gpt2_en": (dict(multilingual=False), 51864),
    "multilingual_51865": (dict(multilingual=True, num_languages=99), 51865),
    "multilingual_51866": (dict(multilingual=True, num_languages=100), 51866),
}


def tokenizers():
    return {"gpt2": get_tokenizer(multilingual=False),
            "multilingual": get_tokenizer(multilingual=True, num_languages=99, language="en",
                                          task="transcribe")}


def words(split):
    return [{"text": text, "ids": ids} for text, ids in zip(*split)]


def decoding(name, tokenizer, text):
    ids = tokenizer.encoding.encode_ordinary(text)
    return {"vocab": name, "ids": ids,
            "piece_hex": [tokenizer.encoding.decode_single_token_bytes(i).hex() for i in ids],
            "decode_each_alone": [tokenizer.decode([i]) for i in ids],
            "decode_prefixes": [tokenizer.decode(ids[:i + 1]) for i in range(len(ids))],
            "split_on_unicode": words(tokenizer.split_tokens_on_unicode(ids)),
            "split_on_spaces": words(tokenizer.split_tokens_on_spaces(ids))}


def single_bytes(tokenizer, data):
    return [tokenizer.encoding.encode_single_token(bytes([byte])) for byte in data]


def specials(arguments, size):
    tokenizer = get_tokenizer(**arguments)
    n_languages = arguments.get("num_languages", 99)
    codes = list(LANGUAGES)[:n_languages]
    begin = tokenizer.timestamp_begin
    # By id: openai-whisper walks a set, in no fixed order.
    named = {text: i for text, i in sorted(tokenizer.special_tokens.items(), key=lambda t: t[1])
             if i < begin}
    return {"n_vocab": size, "eot": tokenizer.eot, "sot": tokenizer.sot,
            "translate": tokenizer.translate, "transcribe": tokenizer.transcribe,
            "sot_lm": tokenizer.sot_lm, "sot_prev": tokenizer.sot_prev,
            "no_speech": tokenizer.no_speech, "no_timestamps": tokenizer.no_timestamps,
            "timestamp_begin": begin,
            "non_speech_tokens": list(tokenizer.non_speech_tokens),
            "languages": [{"code": code, "token": tokenizer.to_language_token(code)}
                          for code in codes],
            "special_tokens": named,
            "timestamp_examples": {f"<|{at * 0.02:.2f}|>": begin + at
                                   for at in (0, 1, 50, 1499, 1500)}}


def make(here, folder):
    texts = json.loads((here / "texts/tokenizer.json").read_text(encoding="ascii"))
    both = tokenizers()
    write_json(folder / "encode.json", {"vectors": [
        {"utf8_hex": text.encode().hex(),
         **{name: t.encoding.encode_ordinary(text) for name, t in both.items()}}
        for text in texts["encode"]]})
    write_json(folder / "decode.json", {
        "token_by_token": [decoding(name, tokenizer, text) for text in texts["decode"]
                           for name, tokenizer in both.items()],
        "invalid_utf8": [{"bytes_hex": data,
                          "decoded": bytes.fromhex(data).decode("utf-8", errors="replace"),
                          **{name: single_bytes(t, bytes.fromhex(data))
                             for name, t in both.items()}}
                         for data in texts["invalid_utf8_hex"]]})
    write_json(folder / "special.json", {
        "language_codes_in_order": list(LANGUAGES),
        "name_to_code": TO_LANGUAGE_CODE,
        **{name: specials(*vocabulary) for name, vocabulary in VOCABULARIES.items()}})
