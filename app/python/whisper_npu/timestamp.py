"""Seconds as text."""


def format_timestamp(seconds: float, always_include_hours: bool = False, decimal_marker: str = ".") -> str:
    """[HH:]MM:SS.mmm.

    seconds: from 0.
    always_include_hours: where there are none too.
    decimal_marker: before the milliseconds.
    """
    assert seconds >= 0, "non-negative timestamp expected"
    rest, milliseconds = divmod(round(seconds * 1000), 1000)
    rest, of_minute = divmod(rest, 60)
    hours, minutes = divmod(rest, 60)
    text = f"{minutes:02d}:{of_minute:02d}{decimal_marker}{milliseconds:03d}"
    return f"{hours:02d}:{text}" if hours or always_include_hours else text
