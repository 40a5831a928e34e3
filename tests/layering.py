"""The include DAG of the project, and the sizes that keep it readable: layering.py ROOT.

A rule names a folder and the folders whose files it may include besides its own; the longest rule
that a file's path begins with counts. Comments begin with their noun. READMEs and CONTRIBUTING.md name files that are
there, and the latter the main path, which is to be read in one go. Exit code 1 with a line for each violation."""
import pathlib
import re
import sys

MAX_FILES = 30    # of a folder
MAX_LINES = 400   # of a file
MAX_README = 120  # lines of the README, which is to be read first
MAX_PATH = 2500   # lines of the files that the main path names: all that a recording walks through
# A comment begins with the noun of the field, not with one of these.
OPENING = re.compile(r"//+ *(?:Of|What|Where|The same|Those|None|Such|Which|Whose)\b")
CONTRIBUTING = ".github/CONTRIBUTING.md"
MAIN_PATH = "## The main path"  # a heading there

BASE = ["models/base"]
VECTORS = [*BASE, "models/kernels/vectors"]
OPERANDS = [*VECTORS, "models/kernels/operands"]
KERNELS = ["models/base", "models/kernels"]
MODELS = ["models"]
READ = [*BASE, "audio/read"]
ENCODER = ["models", "encoder"]
CORE = ["npu/kernel", "npu/core"]
DESIGN = [*CORE, "npu/design"]
OPS = [*DESIGN, "npu/ops"]
ENGINE = ["models", "npu", "audio", "encoder", "decoder", "app/engine"]
OPTIONS = [*ENGINE, "app/formats", "app/options"]
SYSTEM = [*OPTIONS, "app/system"]
HUB = [*SYSTEM, "app/model_store/hub"]
STORE = [*SYSTEM, "app/model_store"]
JOBS = [*STORE, "app/input", "app/output", "app/jobs"]
BENCH = [*JOBS, "bench/core", "bench/input"]

RULES = {
    "models/base": [],
    "models/kernels/vectors": BASE,
    "models/kernels/operands": VECTORS,
    "models/kernels/products": OPERANDS,
    "models/text": BASE,
    "models/files": [*VECTORS, "models/text"],
    "models/weights": [*KERNELS, "models/text", "models/files"],
    "models/quantize": [*KERNELS, "models/text", "models/files", "models/weights"],
    "models/onnx": [*KERNELS, "models/text", "models/files", "models/weights"],
    "npu": [],
    "npu/kernel": [],
    "npu/core": ["npu/kernel"],
    "npu/ops": OPS,
    "npu/design": [*CORE, "npu/fnv1a.h"],
    "npu/control": DESIGN,
    "npu/emit": [*DESIGN, "npu/control"],
    "npu/sim": ["npu/device.h", "npu/buffer_count.h", *OPS, "npu/control"],
    "npu/plans": [*DESIGN, "npu/control", "npu/sim"],
    "npu/time_model": [*DESIGN, "npu/control", "npu/sim", "npu/plans"],
    "npu/first_light": ["npu/device.h", *DESIGN, "npu/control", "npu/sim", "npu/plans"],
    "npu/first_light/microbenchmarks": [*DESIGN, "npu/plans"],
    "npu/memory": ["npu/device.h"],
    "npu/tensor": ["npu/device.h", *OPS, "npu/memory"],
    "npu/xrt": ["npu/device.h", "npu/buffer_count.h", "npu/probe.h", "npu/xdg_folder.h", *DESIGN],
    "audio/read": BASE,
    "audio/mel": READ,
    "audio/speakers": [*MODELS, "audio/read", "audio/vad"],
    "audio/vad": [*MODELS, "audio/read"],
    "encoder": MODELS,
    "encoder/cpu": ENCODER,
    "encoder/npu": [*ENCODER, "npu"],
    "encoder/ort": [*ENCODER, "npu/device.h"],
    "decoder/model": MODELS,
    "decoder/search": [*MODELS, "decoder/model"],
    "decoder/text": [*MODELS, "decoder/model", "decoder/search"],
    "app/engine": ENGINE,
    "app/formats": ENGINE,
    "app/options": OPTIONS,
    "app/system": OPTIONS,
    "app/model_store": STORE,
    "app/model_store/hub": SYSTEM,
    "app/input": HUB,
    "app/output": [*SYSTEM, "app/input"],
    "app/jobs": [*SYSTEM, "app/input", "app/output"],
    "app/jobs/rows": JOBS,
    "app/jobs/manifest": JOBS,
    "app/stream": SYSTEM,
    "app/serve": [*JOBS, "app/stream"],
    "app/serve/http": OPTIONS,
    "app/serve/realtime": [*SYSTEM, "app/stream", "app/serve/http"],
    "app/commands": [*JOBS, "app/stream", "app/serve", "bench"],
    "app/commands/devices": HUB,
    "app/commands/models": [*STORE, "app/output"],
    "app/commands/npu": [*SYSTEM, "app/output", "app/jobs/rows"],
    "app/commands/plan": JOBS,
    "app/commands/speakers": [*SYSTEM, "app/output"],
    "app/commands/quantize": [*SYSTEM, "app/output", "app/jobs/manifest"],
    "app/cli": SYSTEM,
    "app/python": [*HUB],
    "app": [*JOBS, "app/serve", "app/commands", "app/cli"],
    "bench/core": SYSTEM,
    "bench/input": [*JOBS, "bench/core"],
    "bench/rtf": BENCH,
    "bench/encoder": BENCH,
    "bench/advise": [*BENCH, "bench/rtf"],
    "bench/gate": [*BENCH, "bench/rtf"],
    "bench/peers": [*BENCH, "bench/rtf"],
    "bench/report": [*BENCH, "bench/rtf", "bench/encoder"],
    "bench": BENCH,
    "tests": ["models", "npu", "audio", "encoder", "decoder", "app", "bench"],
}
FOLDERS = {rule.split("/")[0] for rule in RULES}

# A library leaves the process to its user: stdout, signals, words of a command line.
FORBIDDEN = {
    "app/engine": r"<(iostream|c?stdio(\.h)?|print|c?signal(\.h)?|sys/signalfd\.h|CLI/.*|nlohmann/.*)>",
    "models": r"<(iostream|c?signal(\.h)?)>",
    "npu": r"<(iostream|c?signal(\.h)?)>",
    "audio": r"<(iostream|c?signal(\.h)?)>",
    "encoder": r"<(iostream|c?signal(\.h)?)>",
    "decoder": r"<(iostream|c?signal(\.h)?)>",
}
EXAMPLES = "app/engine/examples"  # programs
# Installed headers that include each other find each other in one folder.
BESIDE = {"app/engine/whisper_npu.hpp": ('"whisper_npu_devices.hpp"', '"whisper_npu_transcript.hpp"'),
          "app/engine/whisper_npu_transcript.hpp": ('"whisper_npu_devices.hpp"',),
          "app/engine/whisper_npu_service.hpp": ('"whisper_npu.hpp"',),
          "app/engine/whisper_npu_tensor.hpp": ('"whisper_npu.hpp"', '"whisper_npu_tensor_types.hpp"')}

# Headers, of others and of what nothing loads unless it is asked for, and the only places that may
# include them.
OTHERS = {
    r"<(experimental/)?xrt[_/]|\"(experimental/)?xrt[_/]": ("npu/xrt/", "tests/"),
    r"\"npu/tensor/": ("npu/tensor/", "app/engine/tensor/", "app/commands/npu/", "tests/"),  # transcribe has no use for it
    r"\"(app/engine/)?whisper_npu_tensor": ("app/engine/tensor/", "app/engine/whisper_npu_tensor.hpp", "app/commands/npu/", "app/python/",
                                              "tests/"),
    r"<onnxruntime": ("encoder/ort/", "tests/"),
    r"<nanobind/": ("app/python/",),
    r"<toml\+\+/": ("app/options/config_file.cpp",),
    r"<CLI/": ("app/cli/", "app/options/", "app/commands/", "app/serve/", "app/stream/", "bench/bench_command.cpp", "tests/"),
    r"<sndfile": ("audio/read/", "tests/"),
    r"<lib(av|sw)": ("audio/read/",),
    r"<boost/": ("app/serve/",),
    r"<pcre2": ("models/text/",),
    r"<openssl/": ("app/system/",),
    r"<curl/": ("app/model_store/hub/",),
}


def begins(path, prefix):
    return path == prefix or path.startswith(prefix + "/")


def allowed(path):
    rule = max((rule for rule in RULES if begins(path, rule)), key=len)
    return [rule, *RULES[rule]]


def includes_of(root, path):
    text = (root / path).read_text(encoding="utf-8")
    return re.findall(r"^[ \t]*#[ \t]*include[ \t]*([<\"][^>\"]+[>\"])", text, re.M)


def violations_of(path, includes, known):
    for include in includes:
        name = include[1:-1]
        if include[0] == '"' and name.split("/")[0] in FOLDERS:
            if name not in known:
                yield f"{path}: no such file: {name}"
            elif not any(begins(name, prefix) for prefix in allowed(path)):
                yield f"{path}: may not include {name}"
        elif include[0] == '"' and "/" not in name and include not in BESIDE.get(path, ()):
            yield f"{path}: include as \"folder/file.h\": {name}"
        for folder, pattern in FORBIDDEN.items():
            if begins(path, folder) and not begins(path, EXAMPLES) and re.match(pattern, include):
                yield f"{path}: {folder} may not include {include}"
        for pattern, places in OTHERS.items():
            if re.match(pattern, include) and not path.startswith(places):
                yield f"{path}: only {', '.join(places)} may include {include}"


def unit(path):
    return re.sub(r"\.(h|cc|cpp)$", "", path)


def cycles(graph):
    """Sets of units that include each other (a header and its source are one), by Tarjan."""
    number, low, stack, found = {}, {}, [], []

    def visit(node):
        number[node] = low[node] = len(number)
        stack.append(node)
        for other in graph.get(node, ()):
            if other not in number:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == number[node]:
            at = stack.index(node)
            found.append(stack[at:])
            del stack[at:]

    for node in graph:
        if node not in number:
            visit(node)
    return [sorted(group) for group in found if len(group) > 1]


def folder_violations(root, paths, known):
    """Folders, each by itself without those in it, that include each other."""
    graph = {}
    for path in paths:
        if not path.startswith("tests/"):
            folders = {i[1:-1].rpartition("/")[0] for i in includes_of(root, path) if i[1:-1] in known}
            graph.setdefault(path.rpartition("/")[0], set()).update(folders)
    for group in cycles(graph):
        yield f"folders include each other: {', '.join(group)}"


def paths_in(text):
    """Words in backticks that look like a path or a source file, and the targets of links."""
    for word in re.findall(r"`([\w.-][\w./-]*)`", text):
        if "/" in word or re.search(r"\.(h|hpp|cpp|sh)$", word):
            yield word
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        if "://" not in target:
            yield "./" + target


def is_there(root, folder, word, names):
    if "/" not in word:
        return word in names
    bases = [base for base in (folder, root) if (base / word.split("/")[0]).exists()]
    # What begins with no folder of ours is somebody else's; NAME stands for any.
    return not bases or "NAME" in word or word.startswith(("build/", "../shared")) or any(
        (base / (word + ending)).exists() for base in bases for ending in ("", ".h", ".cpp", ".hpp"))


def readme_violations(root):
    readmes = [root / "README.md", root / CONTRIBUTING,
               *(path for folder in FOLDERS for path in (root / folder).rglob("README.md"))]
    names = {path.name for folder in FOLDERS for path in (root / folder).rglob("*.*")}
    for readme in sorted(readmes):
        for word in paths_in(readme.read_text(encoding="utf-8")):
            if not is_there(root, readme.parent, word, names):
                yield f"{readme.relative_to(root)}: no such file: {word}"


def path_violations(root):
    readme = (root / "README.md").read_text(encoding="utf-8")
    if readme.count("\n") > MAX_README:
        yield f"README.md: {readme.count(chr(10))} lines, at most {MAX_README}"
    section = (root / CONTRIBUTING).read_text(encoding="utf-8").split(MAIN_PATH)[1].split("\n## ")[0]
    steps = re.findall(r"^ *\d+\. .*(?:\n {3}.*)*", section, re.M)
    files = [word for step in steps for word in re.findall(r"`([\w./-]+\.(?:h|hpp|cpp))`", step)]
    lines = sum((root / file).read_bytes().count(b"\n") for file in files if (root / file).exists())
    if len(files) < 10:
        yield f"{CONTRIBUTING}: expected the main path under \"{MAIN_PATH}\", found {len(files)} files"
    if lines > MAX_PATH:
        yield f"{CONTRIBUTING}: the main path has {lines} lines, at most {MAX_PATH}"


def opening_violations(path, lines):
    for number, line in enumerate(lines, 1):
        goes_on = number > 1 and lines[number - 2].lstrip().startswith("//")
        if not goes_on and OPENING.match(line.lstrip()):
            yield f"{path}:{number}: expected a comment that begins with its noun, found {line.strip()}"


def check(root):
    paths = sorted(str(path.relative_to(root)) for folder in FOLDERS
                   for path in (root / folder).rglob("*") if path.suffix in (".h", ".hpp", ".cc", ".cpp"))
    known = set(paths)
    graph, violations = {}, []
    for path in paths:
        includes = includes_of(root, path)
        violations += violations_of(path, includes, known)
        graph.setdefault(unit(path), set()).update(
            unit(i[1:-1]) for i in includes if i[1:-1] in known and unit(i[1:-1]) != unit(path))
        text = (root / path).read_bytes()
        lines = text.count(b"\n")
        violations += opening_violations(path, text.decode().splitlines())
        if b"directory_iterator(" in text and not path.startswith("tests/"):
            violations.append(f"{path}: lists a folder otherwise than by models/base/folder.h")
        if lines > MAX_LINES:
            violations.append(f"{path}: {lines} lines, at most {MAX_LINES}")
    violations += folder_violations(root, paths, known)
    violations += [f"include each other: {', '.join(group)}" for group in cycles(graph)]
    scripts = [path for folder in FOLDERS for suffix in ("sh", "py") for path in (root / folder).rglob(f"*.{suffix}")]
    for folder in {path.parent for path in [*(root / path for path in paths), *scripts]}:
        n_files = sum(path.is_file() for path in folder.iterdir())
        if n_files > MAX_FILES:
            violations.append(f"{folder.relative_to(root)}: {n_files} files, at most {MAX_FILES}")
    violations += readme_violations(root)
    violations += path_violations(root)
    return violations


def main():
    sys.setrecursionlimit(10000)
    violations = check(pathlib.Path(sys.argv[1]))
    print("\n".join(violations) or "layering: ok")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
