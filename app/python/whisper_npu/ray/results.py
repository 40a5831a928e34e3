"""The columns that a transcription adds to a row."""

from typing import Any, Dict, List

import pyarrow as pa

_SEGMENT = pa.struct([("id", pa.int64()), ("start", pa.float64()), ("end", pa.float64()), ("text", pa.string()),
                      ("avg_logprob", pa.float64()), ("no_speech_prob", pa.float64()),
                      ("compression_ratio", pa.float64()), ("temperature", pa.float64())])
_WORD = pa.struct([("word", pa.string()), ("start", pa.float64()), ("end", pa.float64()),
                   ("probability", pa.float64())])
_ERROR = pa.struct([("code", pa.string()), ("exit_code", pa.int64()), ("message", pa.string())])
# A long row was cut: into how many pieces, at silences that `by` found ("silero" or "energy").
_CUT = pa.struct([("pieces", pa.int64()), ("by", pa.string())])

SCHEMA = pa.schema([
    ("status", pa.string()), ("pred_text", pa.string()), ("language", pa.string()),
    ("segments", pa.list_(_SEGMENT)), ("words", pa.list_(_WORD)), ("audio_duration", pa.float64()),
    ("model_sha256", pa.string()), ("options_sha256", pa.string()), ("attempts", pa.int64()),
    ("seconds", pa.float64()), ("error", _ERROR), ("cut", _CUT)])


def failed(code: str, exit_code: int, message: str, attempts: int = 1) -> Dict[str, Any]:
    error = {"code": code, "exit_code": exit_code, "message": message}
    return {"status": "failed", "error": error, "attempts": attempts}


def table_of(results: List[Dict[str, Any]]) -> pa.Table:
    """What else an answer says is left out."""
    return pa.Table.from_pylist([{name: result.get(name) for name in SCHEMA.names} for result in results],
                                schema=SCHEMA)
