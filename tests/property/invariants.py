"""What holds for every run, whatever was asked for."""
import hashlib
import json
import os
import re

import jsonschema

import command_lines
import transcripts

INTERNAL_WORDS = re.compile(rb"std::|bad_alloc|vector::|basic_string|_M_range|Assertion|terminate called|stoi|stod|"
                            rb"AddressSanitizer|runtime error:|ThreadSanitizer|LeakSanitizer|json\.exception|"
                            rb"filesystem error|out_of_range|bad_optional|bad_function")


def documented_codes(readme):
    """The exit codes (app/cli/README.md) of runs that nobody stopped; 70 is a bug by its own words."""
    with open(readme, encoding="utf-8") as file:
        table = re.search(r"\| exit code \|.*?(\n\n|\Z)", file.read(), re.S).group()
    return {int(code) for code in re.findall(r"^\| (\d+) \|", table, re.M)} - {70, 141}


class Invariants:
    def __init__(self, source):
        self.codes = documented_codes(os.path.join(source, "app/cli/README.md"))
        with open(os.path.join(source, "app/formats/transcript.schema.json"), encoding="utf-8") as file:
            self.validator = jsonschema.Draft202012Validator(json.load(file))
        with open(os.path.join(source, "app/formats/log.schema.json"), encoding="utf-8") as file:
            self.log_validator = jsonschema.Draft202012Validator(json.load(file))

    def faults(self, case, run, setup):
        """[(class, details)] of what does not hold."""
        found = []

        def fault(kind, details):
            if not any(kind == known for known, _ in found):
                found.append((kind, str(details)[:600]))
        self.check_end(case, run, setup, fault)
        check_files(case, run, fault)
        if run.code == 0 and not found:
            self.check_results(case, run, fault)
        return found

    def check_end(self, case, run, setup, fault):
        message = run.err.decode(errors="replace")
        if run.is_hang:
            return fault("hang", f"no end within {setup.timeout} s")
        if INTERNAL_WORDS.search(run.err):
            fault("stderr: a word from inside", message)
        if run.code not in self.codes and not (run.code == 141 and case.stdout == "closed"):
            fault(f"exit code {run.code}", message)
        if run.code == 6 and case.is_plain and case.stdout == "file" and nothing_is_there(case):
            fault("exit code 6 with nothing in the way", message)
        if run.code == 1 and len(case.inputs()) < 2:
            fault("exit code 1 of one input", message)
        # An abbreviation is no option, and chooses nothing.
        spelled = [a for a in case.atoms if a.name == "--log-format" and a.words[0].startswith(("--log-format", "--log_format"))]
        is_json = [a.value for a in spelled][-1:] == ["json"] and not case.form
        if is_json and not case.has("--help"):
            self.check_log(run.err, fault)
        if run.code not in (0, 141) and not re.search(r'^whisper-npu: |^{"type":"message"', message, re.M):
            fault("stderr: no message", f"code {run.code}: {message}")
        if re.search(rb"^whisper-npu: ", run.out, re.M):
            fault("stdout: has a message", run.out[:300])
        if run.memory > setup.memory:
            fault("memory", f"{run.memory} KB")
        self.check_limit(case, run, fault)
        return None

    def check_limit(self, case, run, fault):
        """What kept within --memory-limit as estimated did so; of an NPU's simulator it bounds buffers."""
        limits = case.values("--memory-limit")[-1:] if run.code == 0 and not case.has("--dry-run", "--help") else []
        if "sim" in "".join(case.values("--device")[-1:]):
            return
        for limit in limits:
            kib = int(limit.rstrip("KMG")) * {"K": 1, "M": 1024, "G": 1024 ** 2}.get(limit[-1], 1 / 1024)
            if run.memory > kib:
                fault("memory: more than --memory-limit", f"{run.memory} KB, {limit}")

    def check_log(self, data, fault):
        for line in data.splitlines():
            try:
                self.log_validator.validate(json.loads(line.decode()))
            except (ValueError, jsonschema.ValidationError) as error:
                return fault("stderr: a line that is not the log schema's", f"{line}: {error}")
        return None

    def check_results(self, case, run, fault):
        if case.has("--dry-run", "--help"):
            return
        is_highlighted = any(value.lower() == "true" for value in case.values("--highlight-words"))
        has_rules = any(value != "plain" for value in case.values("--subtitle-rules"))
        has_timestamps = not case.has("--no-timestamps")
        clips = clip_bounds(case)
        for files in written(case, run).values():
            if "json" in files and not case.has("--output"):  # whose name does not tell its format
                self.check_json(files["json"], has_timestamps, clips, fault)
                transcripts.check_formats(files, is_highlighted, has_rules, has_timestamps, fault)
        last = case.values("--format")[-1:]
        to_stdout = not case.has("--output", "--output-dir", "--output-template", "--beside")
        if case.stdout == "file" and to_stdout and last in (["json"], ["jsonl"]):
            self.check_json(run.out, has_timestamps, clips, fault)
        if case.is_plain:
            check_complete(case, run, fault)

    def check_json(self, data, has_timestamps, clips, fault):
        try:
            documents = transcripts.parsed(data)
        except ValueError as error:
            return fault("json: none", error)
        for document in documents:
            transcripts.check_document(document, has_timestamps, clips, self.validator, fault)
        return None


def clip_bounds(case):
    """Where the clips that were asked for begin and end, in frames of 10 ms."""
    last = case.values("--clip-timestamps")[-1:]
    return {round(100 * float(seconds)) for value in last for seconds in re.findall(r"[\d.]+", value)}


def nothing_is_there(case):
    """No file where results go, and a folder for them."""
    others = case.files.keys() - set(case.inputs()) - {"target.wav"}
    return not others and not any(
        "/" in value for value in case.values("--output") + case.values("--output-template"))


def contents(run, path):
    with open(os.path.join(run.folder, path), "rb") as file:
        return file.read()


def written(case, run):
    """{stem of an input: {format: bytes}} of the files that this run wrote."""
    found = {}
    for path, what in run.after.items():
        stem, dot, extension = os.path.basename(path).rpartition(".")
        if what[0] == "file" and run.before.get(path) != what and dot and extension in command_lines.FORMATS:
            found.setdefault(os.path.join(os.path.dirname(path), stem), {})[extension] = contents(run, path)
    return found


def targets(case):
    """Names that results of this command line may have."""
    names = {f"{command_lines.stem(name)}.{extension}" for name in case.inputs()
             for extension in command_lines.FORMATS}
    links = {os.path.basename(content) for content in case.files.values() if isinstance(content, str)}
    return names | links | {os.path.basename(value) for value in case.values("--output")}


def template_patterns(case):
    """Patterns of the names that results of this command line may have by --output-template."""
    patterns = []
    for template in case.values("--output-template"):
        for name in case.inputs():
            fields = {"stem": command_lines.stem(name), "name": "stdin" if name == "-" else name.rsplit("/", 1)[-1]}
            pattern = re.escape(template.rsplit("/", 1)[-1])
            for field, value in fields.items():
                pattern = pattern.replace(re.escape("{" + field + "}"), re.escape(value))
            patterns.append(re.compile(re.sub(r"\\\{(ext|lang|n|task|model)\\\}", "[^/]+", pattern)))
    return patterns


def check_files(case, run, fault):
    allowed, templates = targets(case), template_patterns(case)
    for path, what in run.after.items():
        old = run.before.get(path)
        if old == what:
            continue
        if path in case.recordings:
            fault("files: a recording was changed", path)
        elif old and old[0] != "folder" and not case.has("--overwrite"):
            fault("files: a file was replaced without --overwrite", path)
        elif what[0] != "folder" and os.path.basename(path) not in allowed and not any(
                pattern.fullmatch(os.path.basename(path)) for pattern in templates):
            fault("files: something was left that is no result", path)
        elif case.has("--dry-run") and case.is_plain and what[0] != "folder":
            fault("files: --dry-run wrote one", path)
        elif run.code not in (0, 1) and len(case.inputs()) < 2 and what[0] != "folder":
            fault("files: a run that failed left one", path)
    for path in run.before.keys() - run.after.keys():
        fault("files: one is gone", path)


def check_complete(case, run, fault):
    """Exit code 0: each input has all its results, and the JSON is of that very input."""
    if case.stdout != "file" or not case.has("--output-dir"):
        return
    folder = os.path.normpath(case.values("--output-dir")[-1])
    formats = {f for value in case.values("--format") for f in value.split(",")} or set(command_lines.FORMATS)
    formats = {"txt" if f == "text" else f for f in formats if f != "all"} or set(command_lines.FORMATS)
    for name in case.inputs():
        for extension in formats:
            path = os.path.normpath(os.path.join(folder, f"{command_lines.stem(name)}.{extension}"))
            if path not in run.after:
                fault("files: a result is missing, exit code 0", path)
            elif extension == "json" and run.before.get(path) != run.after[path]:
                check_input(case, name, contents(run, path), fault)


def check_input(case, name, data, fault):
    about = json.loads(data)["input"]
    if about["path"] != name and "\udcff" not in name:
        fault("json: not the input that was given", (about["path"], name))
    content = case.files.get(name)
    if isinstance(content, bytes) and about["sha256"] != hashlib.sha256(content).hexdigest():
        fault("json: input.sha256 is not the file's", name)
