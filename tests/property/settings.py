"""A command line's options in a configuration file or in the environment instead."""
import json
import re

import option_values

TOML_NUMBER = re.compile(r"[+-]?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")


def toml_string(text):
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def toml_value(name, value):
    """None: no TOML value gives this word."""
    values = option_values.VALUES[name]
    if values is option_values.FLAG:
        return "true"
    if values is option_values.BOOL:
        return (value or "True").lower() if value.lower() in ("", "true", "false") else None
    if hasattr(values[0], "is_number") and value != "None":
        is_short = len(value) < 18  # integers of TOML have 64 bits, one of them the sign
        return value if TOML_NUMBER.fullmatch(value) and is_short else None
    if value == "" or "\x00" in value or re.search("[\ud800-\udfff]", value):
        return None
    return toml_string(value)


def config_of(options):
    """TOML of [(name, value)], or None."""
    lines = []
    for name, values in collected(options).items():
        written = [toml_value(name, value) for value in values]
        if None in written:
            return None
        key = name[2:].replace("-", "_") if len(values) % 2 else name[2:]
        lines.append(f"{key} = " + (written[0] if len(written) == 1 else "[" + ", ".join(written) + "]"))
    return "\n".join(lines) + "\n"


def variables_of(options):
    """{variable: value} of [(name, value)], or None."""
    variables = {}
    for name, values in collected(options).items():
        value = ",".join(values)
        is_text = option_values.VALUES[name] is not option_values.FLAG and name != "--verbose"
        if "\x00" in value or (is_text and not value) or (len(values) > 1 and name != "--format"):
            return None
        variables["WHISPER_NPU_" + name[2:].replace("-", "_").upper()] = value or "True"
    return variables


def collected(options):
    """{name: values that count}: the last, but all of what is repeatable."""
    found = {}
    for name, value in options:
        if name in ("--format", "--operator", "--ort-plugin", "--ort-option"):
            found.setdefault(name, []).append(value)
        else:
            found[name] = [value]
    return found


def moved(case, form):
    """(atoms that stay, file's text or "", variables), or None where it cannot be done."""
    # WHISPER_NPU_XCLBIN is the engine's, which asks for it where it opens an NPU alone (app/options).
    no_setting = option_values.NO_SETTING | ({"--xclbin"} if form == "environment" else set())
    kept = [a for a in case.atoms if a.name not in option_values.VALUES or a.name in no_setting or a.last]
    options = [(a.name, a.value) for a in case.atoms if a not in kept]
    if not options or case.has("--config"):
        return None
    if form == "file":
        text = config_of(options)
        return None if text is None else (kept, text, {})
    variables = variables_of(options)
    return None if variables is None else (kept, "", variables)
