"""Random command lines, and the folders in which they run."""
import dataclasses
import random

import option_values
import recordings

# Options without which a model of random weights goes on for seconds.
RESTRAINTS = {"--max-tokens", "--temperature-increment-on-fallback", "--threads", "--device"}
NEEDS_WORDS = {"--max-line-width", "--max-line-count", "--max-words-per-line", "--highlight-words",
               "--subtitle-rules",
               "--hallucination-silence-threshold", "--prepend-punctuations", "--append-punctuations"}
# What these need (app/options/option_needs.cpp), as options that are given with them; and which are of a device alone.
NEEDED = {
    "--carry-initial-prompt": {"--initial-prompt": "And so"},
    "--max-line-count": {"--max-line-width": "42"},
    "--fp16": {"--precision": "fp32"},
    "--gemm": {"--precision": "fp32"},
    "--patience": {"--beam-size": "2", "--temperature": "0"},
    "--length-penalty": {"--beam-size": "2", "--temperature": "0"},
    "--beam-size": {"--temperature": "0"},
    **{name: {"--temperature-increment-on-fallback": "1"}
       for name in ("--best-of", "--seed", "--compression-ratio-threshold")},
}
OF_DEVICES = ("--npu-", "--ort-", "--operator", "--device-split", "--cpu-window-ms", "--fallback", "--xclbin",
              "--memory-limit")
EXCLUDED = [("--clip-timestamps", "--vad"), ("--language", "--language-detection-threshold"),
            ("--language", "--language-detection-segments"), ("--max-words-per-line", "--max-line-width"),
            ("--max-words-per-line", "--max-line-count"),
            *((name, "--subtitle-rules")
              for name in ("--max-line-width", "--max-line-count", "--max-words-per-line", "--highlight-words"))]
FORMATS = option_values.FORMATS
NAMES = ["a.wav", "talk.wav", "two words.wav", "ü 日本.wav", "noext", ".hidden.wav", "a.b.c.wav", "out.json", "a.mp3",
         "x" * 240 + ".wav", "quote'\".wav", "-", "-dash.wav", "sub/a.wav", "new\nline.wav", "bad\udcff.wav",
         "%s%n.wav", "=.wav", "a.txt"]


@dataclasses.dataclass
class Atom:
    """Words of a command line that stand or fall together."""
    words: list
    name: str = ""      # of the option; empty: an input
    value: str = ""
    last: bool = False  # behind all others: what it lacks must not be taken from its neighbour


@dataclasses.dataclass
class Case:
    index: int
    atoms: list
    files: dict = dataclasses.field(default_factory=dict)  # name -> bytes, None: a folder, str: a link's target
    recordings: set = dataclasses.field(default_factory=set)  # of files: those that nothing may change
    stdin: bytes = None
    stdout: str = "file"  # or "closed", "full"
    is_plain: bool = True  # the options on output say what they seem to: results can be foretold
    threads: int = 0  # of a second run that must give the same
    form: str = ""  # of one with its options elsewhere: "file", "environment"

    def words(self):
        inputs = [w for a in self.atoms if not a.name for w in a.words]
        head = [w for a in self.atoms if a.name and not a.last for w in a.words]
        tail = [w for a in self.atoms if a.name and a.last for w in a.words]
        if any(w.startswith("-") and w != "-" for w in inputs):
            return ["transcribe", *head, *tail, "--", *inputs]
        if self.index % 3 == 0:
            return ["transcribe", *inputs, *head, *tail]
        return ["transcribe", *head, *inputs, *tail]

    def inputs(self):
        # Behind --verbose, what is not True or False is an input.
        return [w for a in self.atoms for w in a.words[1 if a.name else 0:]
                if not a.name or a.name == "--verbose" and w.lower() not in ("true", "false")]

    def has(self, *names):
        return any(a.name in names for a in self.atoms)

    def values(self, name):
        return [a.value for a in self.atoms if a.name == name]


def spelled(rng, name, value, is_wild):
    """The words for an option and its value, in one of the ways to write them."""
    word = name
    if rng.random() < 0.25:
        word = "--" + name[2:].replace("-", "_")
    if is_wild and rng.random() < 0.05:
        word = word[:rng.randint(3, len(word))]  # an abbreviation
    if value is None:
        return [word + rng.choice(["=True", "=False", "=", "=1"])] if is_wild and rng.random() < 0.1 else [word]
    if name == "--format" and rng.random() < 0.3:
        return rng.choice([["-f", value], ["-f" + value]]) if value else ["-f", value]
    return [f"{word}={value}"] if rng.random() < 0.5 else [word, value]


def given(rng, name, value, is_wild=False):
    return Atom(spelled(rng, name, value, is_wild), name, value or "")


def option(rng, name, is_wild):
    values = option_values.VALUES[name]
    if values is option_values.FLAG:
        return given(rng, name, None, is_wild)
    if is_wild and rng.random() < 0.06:
        return Atom([name], name, last=True)  # its value is missing
    usual, odd = values
    value = odd(rng) if is_wild and rng.random() < 0.35 else usual(rng)
    return given(rng, name, value, is_wild)


def add_inputs(rng, case, compressed, is_wild):
    count = rng.choice([1] * 7 + [2, 3, 4])
    for name in rng.sample(NAMES if is_wild else NAMES[:4] + NAMES[4:] * (rng.random() < 0.4), count):
        kind = rng.random()
        if name == "-":
            add_stdin(rng, case, is_wild)
            continue
        if kind < 0.04:
            pass  # it is missing
        elif kind < 0.06:
            case.files[name] = None  # a folder
        elif kind < 0.12:
            case.files[name] = recordings.damaged(rng)
        elif kind < 0.2 and compressed:
            case.files[name] = rng.choice(compressed).read_bytes()
        elif kind < 0.22:
            case.files[name], case.files["target.wav"] = "target.wav", recordings.wav(rng)
            case.recordings.add("target.wav")
        else:
            case.files[name] = recordings.wav(rng)
        case.recordings.add(name)
        case.atoms.append(Atom([name]))


def add_stdin(rng, case, is_wild):
    case.atoms.append(Atom(["-"]))
    if rng.random() < 0.6:
        data, spec = recordings.raw(rng, rng.choice(recordings.RAW_FORMATS))
        case.stdin = data
        if is_wild and rng.random() < 0.3:
            spec = option_values.VALUES["--stdin-format"][1](rng)
        case.atoms.append(given(rng, "--stdin-format", spec))
    else:
        case.stdin = recordings.damaged(rng) if rng.random() < 0.2 else recordings.wav(rng)


def stem(name):
    base = name.rsplit("/", 1)[-1]
    dot = base.rfind(".")
    return "stdin" if name == "-" else base[:dot] if dot > 0 else base


def add_existing(rng, case, folder, formats):
    """Files that lie where results would go."""
    for name in case.inputs():
        for extension in rng.sample(FORMATS, rng.randint(1, 3)) if rng.random() < 0.5 else formats:
            path = f"{folder}/{stem(name)}.{extension}" if folder not in (".", "") else f"{stem(name)}.{extension}"
            kind = rng.random()
            if path in case.files:
                continue
            if kind < 0.75:
                case.files[path] = b"a result of old\n"
            elif kind < 0.85:
                case.files[path] = recordings.decodable_wav(rng)
                case.recordings.add(path)
            elif kind < 0.92:
                case.files[path] = None
            else:
                case.files[path] = rng.choice(["/dev/null", "gone", "a.wav"])


def add_outputs(rng, case, is_wild):
    choice = rng.random()
    chosen = []
    if choice < 0.55:
        folder = option_values.VALUES["--output-dir"][0](rng)
        case.atoms.append(given(rng, "--output-dir", folder))
        if rng.random() < 0.4:
            chosen = rng.sample(FORMATS, rng.randint(1, 3))
        if rng.random() < 0.25:
            add_existing(rng, case, folder.strip("/").removeprefix("./"), chosen or FORMATS)
    elif choice < 0.7:
        case.atoms.append(option(rng, "--output", is_wild))
        target = case.values("--output")[-1]
        if len(target) in range(2, 200) and "/" not in target and rng.random() < 0.4:
            case.files.setdefault(target, rng.choice([b"a result of old\n", None, recordings.decodable_wav(rng)]))
            if isinstance(case.files[target], bytes) and case.files[target].startswith(b"RIFF"):
                case.recordings.add(target)
    elif choice < 0.8:
        case.atoms.append(option(rng, rng.choice(["--output-template", "--beside"]), is_wild))
    elif rng.random() < 0.5:
        chosen = [rng.choice(["text", "txt", "json", "jsonl", "srt"])]
        case.stdout = rng.choice(["file"] * 8 + ["closed", "full"])
    for name in chosen:
        case.atoms.append(given(rng, "--format", name))
    if case.stdout == "file" and len(chosen) > 1 and not is_wild and not case.has("--output-dir"):
        chosen = chosen[:1]
    for name, part in (("--overwrite", 0.3), ("--skip-existing", 0.15), ("--dry-run", 0.04)):
        if rng.random() < part and (is_wild or name != "--skip-existing" or not case.has("--overwrite")):
            case.atoms.append(option(rng, name, is_wild))


def add_restraints(rng, case):
    """Random weights go on and on where nothing stops them: what would take seconds is rare."""
    def set_unless(name, value):
        if not case.has(name):
            case.atoms.append(given(rng, name, value))
    if rng.random() < 0.97:
        set_unless("--max-tokens", str(rng.choice([1, 2, 3, 4, 5, 8, 12, 20])))
    if rng.random() < 0.9:
        set_unless("--temperature-increment-on-fallback", rng.choice(["None", "None", "1", "0.5"]))
    if case.has("--batch-size") or rng.random() < 0.7:
        set_unless("--beam-size", str(rng.choice([1, 1, 2, 3])))
    set_unless("--threads", rng.choice(["1", "1", "2"]))


def device_atoms(rng, is_wild):
    choice = rng.random()
    if choice < 0.05:
        model = rng.choice(["head64", "head64", "wide"])
        device = rng.choice(["sim", "sim", "sim:2", "sim:3", "cpu,sim", "cpu,sim:2"])
        names = ["--npu-plan", "--npu-precision"]
        names += ["--device-split"] if ":" in device and "," not in device else []
        names += ["--cpu-window-ms"] if "," in device else []
        atoms = [Atom(["--device", device], "--device", device), Atom(["--model", "{models}/" + model], "--model")]
        return atoms + [option(rng, name, is_wild) for name in names if rng.random() < 0.6]
    atoms = [Atom(["--device", "cpu"], "--device", "cpu")] if choice < 0.9 else [option(rng, "--device", is_wild)]
    if rng.random() < 0.6:
        atoms.append(option(rng, "--model", is_wild))
    elif rng.random() < 0.05:
        atoms.append(Atom(["--model=" + rng.choice(["", "missing", ".", "{models}", "{models}/plain.bin", "a.wav"])],
                          "--model"))
    return atoms


def with_needs(drawn):
    """The names without those that another excludes, or only a device takes; and values of what they need."""
    kept = [name for name in drawn if not name.startswith(OF_DEVICES)]
    needed = {}
    for first, other in EXCLUDED:
        if any(name.startswith(other) for name in kept):
            kept = [name for name in kept if name != first]
    for name in kept:
        needed.update({"--vad": "True"} if name.startswith("--vad-") else NEEDED.get(name, {}))
    return [name for name in kept if name not in needed], needed


def make_case(seed, index, compressed):
    rng = random.Random(f"{seed}/{index}")
    is_wild = rng.random() < 0.25
    case = Case(index, [])
    add_inputs(rng, case, compressed, is_wild)
    free = sorted(set(option_values.VALUES) - option_values.SCENARIO)
    drawn = rng.sample(free, rng.choice([0, 1, 2, 3, 4, 5, 6, 8]))
    if rng.random() < 0.5 and "--word-timestamps" not in drawn:
        case.atoms.append(given(rng, "--word-timestamps", "True"))
    if not is_wild and not case.has("--word-timestamps"):
        drawn = [name for name in drawn if name not in NEEDS_WORDS]
    if not is_wild and rng.random() < 0.95:
        drawn, needed = with_needs(drawn)
        case.atoms += [given(rng, name, value) for name, value in needed.items()]
    case.atoms += [option(rng, name, is_wild) for name in drawn]
    case.atoms += device_atoms(rng, is_wild)
    add_outputs(rng, case, is_wild)
    add_restraints(rng, case)
    if is_wild and rng.random() < 0.2:
        again = rng.choice([a for a in case.atoms if a.name])
        case.atoms.append(option(rng, again.name, is_wild))
    if is_wild and rng.random() < 0.1:
        name = rng.choice(sorted(option_values.SCENARIO))
        case.atoms.append(option(rng, name, is_wild))
        case.is_plain = False
    case.is_plain = case.is_plain and not is_wild
    rng.shuffle(case.atoms)
    case.threads = rng.choice([1, 2, 3, 5]) if rng.random() < 0.2 else 0
    case.form = rng.choice(["file", "environment"]) if rng.random() < 0.2 else ""
    return case
