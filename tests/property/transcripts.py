"""What every transcript must be: valid, in order, and the same in all formats."""
import html
import json
import re

WINDOW_S = 30
TIME_ERROR_S = 1e-6
HEADER = re.compile(r"^(?:\d+\n)?((?:\d+:)?\d\d:\d\d[.,]\d{3}) --> ((?:\d+:)?\d\d:\d\d[.,]\d{3})\n", re.M)


def milliseconds(seconds):
    return round(1000.0 * seconds)


def squeezed(text):
    """Without white space, and without what stands for bytes that are no text."""
    return re.sub(r"[\s\x1c-\x1f\x85\ufffd]", "", text)


def check_words(segment, fault):
    words, last = segment["words"], segment["start"]
    for word in words:
        if None in (word["start"], word["end"]):
            return fault("words: a time is no number", word)
        if word["start"] < last - TIME_ERROR_S or word["end"] < word["start"] - TIME_ERROR_S:
            return fault("words: out of order, or before their segment", segment)
        if not 0 <= word["probability"] <= 1:
            fault("words: a probability is none", word)
        last = word["start"]
    if words and max(word["end"] for word in words) > segment["end"] + TIME_ERROR_S:
        fault("words: end behind their segment", segment)
    if words and squeezed("".join(w["word"] for w in words)) != squeezed(segment["text"]):
        fault("words: other text than their segment's", segment)
    return None


def check_segments(document, has_timestamps, clip_bounds, fault):
    """Segments without text have what times the model gave them, as openai-whisper's. So has a clip's last
    window: its times may lie behind the clip's end and the next clip's beginning (a frame of clip_bounds)."""
    last = 0.0
    for i, segment in enumerate(document["segments"]):
        if segment["id"] != i:
            fault("segments: ids do not count", segment["id"])
        if None in (segment["start"], segment["end"]):
            return fault("segments: a time is no number", segment)
        if segment["seek"] in clip_bounds and segment["seek"] != document["segments"][i - 1]["seek"]:
            last = 0.0
        is_ordered = last <= segment["start"] + TIME_ERROR_S and segment["start"] <= segment["end"] + TIME_ERROR_S
        if has_timestamps and segment["text"] and not is_ordered:
            fault("segments: out of order", [segment["start"], segment["end"], last])
        if segment["start"] < 0 or segment["end"] > segment["seek"] / 100 + WINDOW_S + TIME_ERROR_S:
            fault("segments: end behind their window", [segment["seek"], segment["end"]])
        check_words(segment, fault) if "words" in segment else None
        last = segment["start"] if segment["text"] else last
    return None


def check_document(document, has_timestamps, clip_bounds, validator, fault):
    for error in validator.iter_errors(document):
        fault("json: not valid by the schema", f"{list(error.path)}: {error.message[:200]}")
        return
    check_segments(document, has_timestamps, clip_bounds, fault)
    if document["text"] != "".join(s["text"] for s in document["segments"]):
        fault("json: text is not that of the segments", document["text"][:80])
    if document["words"] != [w for s in document["segments"] for w in s.get("words", [])]:
        fault("json: words are not those of the segments", len(document["words"]))
    if document["truncated"]:
        fault("json: truncated, but nobody stopped it", document["input"])


def parsed(data):
    """The documents of a json or jsonl result, one or more."""
    decoder, text, found = json.JSONDecoder(), data.decode(), []
    text = text.lstrip()
    while text:
        document, end = decoder.raw_decode(text)
        found.append(document)
        text = text[end:].lstrip()
    return found


def lines(document, line):
    return "".join(line(milliseconds(s["start"]), milliseconds(s["end"]), s["text"].strip())
                   for s in document["segments"])


def one_line(text):
    return text.replace("\n", " ").replace("\r", " ")


def lrc_line(start, _, text):
    hundredths = (start + 5) // 10
    return f"[{hundredths // 6000:02}:{hundredths // 100 % 60:02}.{hundredths % 100:02}]" + one_line(text) + "\n"


EXACT = {
    "txt": lambda d: lines(d, lambda _, __, text: text + "\n"),
    "tsv": lambda d: "start\tend\ttext\n" + lines(d, lambda s, e, text: f"{s}\t{e}\t" + one_line(text).replace("\t", " ") + "\n"),
    "csv": lambda d: "start,end,text\n" + lines(d, lambda s, e, t: f"{s},{e},\"" + t.replace('"', '""') + '"\n'),
    "lrc": lambda d: lines(d, lrc_line),
}


def cues(text):
    """Times of a subtitle file's cues in milliseconds, and its text without them."""
    def ms(time):
        parts = re.split("[:.,]", time)
        return int(parts[-1]) + 1000 * sum(int(p) * 60 ** i for i, p in enumerate(reversed(parts[:-1])))
    return [(ms(a), ms(b)) for a, b in HEADER.findall(text)], HEADER.sub("", text.removeprefix("WEBVTT\n\n"))


def check_subtitles(document, files, is_highlighted, has_rules, has_timestamps, fault):
    found = {name: cues(files[name].decode()) for name in ("srt", "vtt") if name in files}
    if has_rules:  # WebVTT's escapes, and marks of direction
        found = {name: (times, (html.unescape(text) if name == "vtt" else text).replace("\u200f", ""))
                 for name, (times, text) in found.items()}
    if len(found) == 2 and found["srt"] != found["vtt"]:
        fault("formats: srt and vtt differ", "")
    has_words = any(s.get("words") for s in document["segments"])
    for name, (times, text) in found.items():
        if not has_words and not has_rules:
            expected = [(milliseconds(s["start"]), milliseconds(s["end"])) for s in document["segments"]]
            if times != expected:
                fault(f"formats: {name} has other times than json", (times, expected))
        said = "".join(w["word"] for w in document["words"]) if has_words else \
            "".join(s["text"].strip().replace("-->", "->") for s in document["segments"])
        if not is_highlighted and squeezed(text) != squeezed(said):
            fault(f"formats: {name} has other text than json", (squeezed(text)[:80], squeezed(said)[:80]))
        starts = [a for a, _ in times]
        if (has_rules or has_words and has_timestamps) and (any(b < a for a, b in times) or starts != sorted(starts)):
            fault(f"formats: {name}'s times are out of order", times)


def check_formats(files, is_highlighted, has_rules, has_timestamps, fault):
    """`files`: format -> bytes, of one input; json is among them."""
    document = parsed(files["json"])[0]
    for name, expected in EXACT.items():
        if name in files and files[name].decode() != expected(document):
            fault(f"formats: {name} is not what json says", "")
    if "jsonl" in files and parsed(files["jsonl"]) != [document]:
        fault("formats: jsonl is not json", "")
    check_subtitles(document, files, is_highlighted, has_rules, has_timestamps, fault)
