"""The answers to the pieces of a row -> the answer to the row."""

from typing import Any, Dict, List, Sequence, Tuple

Answer = Dict[str, Any]


def joined(stretches: Sequence[Tuple[float, float]], answers: Sequence[Answer], by: str) -> Answer:
    """Times of segments and words count from the row's begin, segments' ids from 0. A failed piece fails the row."""
    attempts = max(answer.get("attempts") or 1 for answer in answers)
    cut = {"pieces": len(answers), "by": by}
    for number, (stretch, answer) in enumerate(zip(stretches, answers), 1):
        if answer["status"] != "ok":
            where = f"piece {number} of {len(answers)} ({stretch[0]:.3f} s to {stretch[1]:.3f} s): "
            error = {**answer["error"], "message": where + answer["error"]["message"]}
            return {**answer, "error": error, "attempts": attempts, "cut": cut}
    segments: List[Answer] = []
    words: List[Answer] = []
    for (begin, _), answer in zip(stretches, answers):
        for segment in answer.get("segments") or []:
            segments.append({**_shifted(segment, begin), "id": len(segments)})
        words += [_shifted(word, begin) for word in answer.get("words") or []]
    whole = {**answers[0], "segments": segments, "attempts": attempts, "cut": cut,
             "pred_text": _text(answers),
             "audio_duration": sum(answer.get("audio_duration") or 0.0 for answer in answers),
             "seconds": sum(answer.get("seconds") or 0.0 for answer in answers)}
    if answers[0].get("words") is not None:
        whole["words"] = words
    return whole


def _shifted(part: Answer, begin: float) -> Answer:
    return {**part, "start": round(part["start"] + begin, 3), "end": round(part["end"] + begin, 3)}


def _text(answers: Sequence[Answer]) -> str:
    """Segments' texts one behind the other, as Whisper has them: they begin with a space in languages with spaces."""
    return "".join(segment["text"] for answer in answers for segment in answer.get("segments") or []).strip()
