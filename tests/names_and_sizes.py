"""Names of things and sizes of functions: names_and_sizes.py ROOT.

What two of clang-tidy's checks ask (readability-identifier-naming, readability-function-size with the limits of
.clang-tidy), from universal-ctags instead of a compiler: seconds for all files, where clang-tidy takes minutes.
tests/tidy.sh runs clang-tidy itself. Exit code 1 with a line for each finding, 77 without ctags."""
import json
import pathlib
import re
import shutil
import subprocess
import sys

FOLDERS = ("app", "audio", "bench", "decoder", "encoder", "models", "npu")
# Which ctags takes for functions, or for the names of classes.
MACROS = "HWY_EXPORT,HWY_BEFORE_NAMESPACE,HWY_AFTER_NAMESPACE,NB_MODULE+,WHISPER_NPU_API,WNPU_FIND+"
CAMEL = re.compile(r"[A-Z][A-Za-z0-9]*$")
CONSTANT = re.compile(r"k[A-Z0-9][A-Za-z0-9]*$")
# Or as a constant: it may be one by a type that ctags does not show.
LOWER = re.compile(r"[a-z][a-z0-9_]*$|" + CONSTANT.pattern)
PRIVATE = re.compile(r"[a-z][a-z0-9_]*_$|" + CONSTANT.pattern)
CONTROL = re.compile(r"(?:(?:else )?if|for|while|switch|catch)\b(?:.|\n)*\)$|(?:do|else|try)$|"
                     r"(?:case|default)\b(?:.|\n)*:$")
LAMBDA = re.compile(r"\[[^\[\]]*\](?: ?\((?:[^()]|\([^()]*\))*\))?(?: mutable| noexcept)*(?: -> [\w:<>,&* ]+)?$")


def settings(root):
    text = (root / ".clang-tidy").read_text()
    return {key: int(value) for key, value in re.findall(r"readability-function-size\.(\w+), value: '(\d+)'", text)}


def tags_of(root, files):
    command = ["ctags", "-L", "-", "-f", "-", "--output-format=json", "--language-force=C++", "--kinds-C++=+pzl",
               "--fields=+neKSsat", "-I", MACROS]
    found = subprocess.run(command, cwd=root, input="\n".join(files), capture_output=True, text=True, check=True)
    return [json.loads(line) for line in found.stdout.splitlines()]


def without_texts(source):
    """The same lines, without what comments and literals hold."""
    literal = r'R"(\w*)\((?:.|\n)*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|//[^\n]*|/\*(?:.|\n)*?\*/'
    return re.sub(literal, lambda match: '""' + "\n" * match[0].count("\n"), source)


def opens(statement, is_in_list):
    """What a brace behind `statement` begins: the block of a control statement, a lambda, or a list of values."""
    if CONTROL.match(statement) or not statement and not is_in_list:
        return "block"
    return "lambda" if LAMBDA.search(statement) else "list"


def deepest_block(body):
    """How deep the innermost block of a function is: in how many statements' blocks and lambdas."""
    deepest, stack, statement, parentheses = 0, [("lambda", 0, 0)], "", 0
    for character in body[1:]:
        if character == "{":
            kind = opens(statement.strip(), stack[-1][0] == "list" or parentheses > 0)
            depth = {"block": stack[-1][1] + 1, "lambda": stack[-1][1] + 1, "list": stack[-1][1]}[kind]
            stack.append((kind, depth, parentheses))
            deepest, statement, parentheses = max(deepest, depth), "", 0
        elif character == "}" and len(stack) > 1:
            kind, _, parentheses = stack.pop()
            statement = "{}" if kind == "list" else ""
        elif character == ";" and parentheses == 0:
            statement = ""
        else:
            parentheses += (character == "(") - (character == ")")
            statement += character
    return deepest


def parameters_in(signature):
    """Of `(int a, std::map<int, int> b)`, 2."""
    inner = re.sub(r"\(\)|\(\s*void\s*\)", "", signature.strip()[1:-1])
    while (shorter := re.sub(r"<[^<>]*>|\([^()]*\)|\{[^{}]*\}", "", inner)) != inner:
        inner = shorter
    return len([part for part in inner.split(",") if part.strip() not in ("", "...")])


def size_findings(tag, lines, limits):
    begin, end = tag["line"], tag.get("end", tag["line"])
    body = "\n".join(lines[begin - 1:end])
    if end - begin > limits["LineThreshold"]:
        yield f"{end - begin} lines, at most {limits['LineThreshold']}"
    count = parameters_in(tag.get("signature", "()"))
    if count > limits["ParameterThreshold"]:
        yield f"{count} parameters, at most {limits['ParameterThreshold']}"
    depth = deepest_block(body[body.find("{"):])
    if depth >= limits["NestingThreshold"]:
        yield f"blocks nested {depth} deep, at most {limits['NestingThreshold'] - 1}"


def lines_let_off(text):
    """Numbers of the lines for which a comment (NOLINT) says that a name is as it is."""
    is_let_off, lines = False, set()
    for number, line in enumerate(text.splitlines(), 1):
        named = "readability-identifier-naming" in line
        is_let_off = named and "NOLINTBEGIN" in line or is_let_off and not (named and "NOLINTEND" in line)
        if is_let_off or named and "NOLINT(" in line:
            lines.add(number)
        if named and "NOLINTNEXTLINE" in line:
            lines.add(number + 1)
    return lines


def expected_name(tag):
    """The pattern that a name has to match, and what to call it; None where any will do."""
    kind, pattern = tag["kind"], tag.get("pattern", "")
    if kind in ("struct", "enum") and re.search(rf"\b{kind} (?!class )\w+ {tag['name']}\b", pattern):
        return None  # `struct stat status{}`: a variable
    if kind in ("class", "struct", "enum"):
        return CAMEL, "CamelCase"
    if kind in ("variable", "local", "member") and re.search(r"\bconstexpr\b", pattern):
        return CONSTANT, "kCamelCase"
    if kind == "member" and tag.get("access") in ("private", "protected") and tag.get("scopeKind") == "class":
        return PRIVATE, "lower_case_"
    if kind in ("function", "prototype", "parameter", "local", "member", "variable"):
        return LOWER, "lower_case"
    return None


def main():
    if shutil.which("ctags") is None:
        print("SKIP: no ctags (Debian: universal-ctags)")
        return 77
    root = pathlib.Path(sys.argv[1])
    limits = settings(root)
    files = sorted(str(path.relative_to(root)) for folder in FOLDERS for path in (root / folder).rglob("*.*")
                   if path.suffix in (".h", ".hpp", ".cpp"))
    sources = {name: without_texts((root / name).read_text()).splitlines() for name in files}
    tags = tags_of(root, files)
    types = {tag["name"] for tag in tags if tag["kind"] in ("class", "struct")}
    let_off = {name: lines_let_off((root / name).read_text()) for name in files}
    findings = []
    for tag in tags:
        is_constructor = tag["name"] in types and tag["kind"] not in ("class", "struct")
        if is_constructor or not re.match(r"[A-Za-z]\w*$", tag["name"]):
            continue  # or unnamed, or an operator
        said = []
        if tag["kind"] == "function":
            said += size_findings(tag, sources[tag["path"]], limits)
        wanted = expected_name(tag)
        is_name = wanted and tag["line"] not in let_off[tag["path"]]
        if is_name and not wanted[0].match(tag["name"]):
            said.append(f"a {tag['kind']} is named in {wanted[1]}")
        findings += [f"{tag['path']}:{tag['line']}: {tag['name']}: {words}" for words in said]
    print("\n".join(findings) or f"ok: {len(tags)} names in {len(files)} files")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
