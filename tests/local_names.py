"""Names that a file keeps to itself are used once in a library: local_names.py ROOT.

Files of a library, or of a test program, are compiled together (CMake's unity build), and their unnamed namespaces
are one. Two functions of one name and other parameters are then overloads of each other, and a function of that name
in a header is hidden: a call may take the wrong one in silence. The compiler complains only of equal ones. Exit code 1
with a line for each name that two files have, or a file and a header. What is in the same enclosing namespace counts;
`using X = ...` does not, which has to be the same type."""
import collections
import pathlib
import re
import sys

# These files are compiled one by one, or not together.
ALONE = re.compile(r"app/engine/examples/|.*/target_\w+\.cpp")
LIBRARIES = ["models/base", "models/kernels", "models", "npu", "audio", "encoder", "decoder", "app/engine", "app/python", "app", "bench"]

TYPE = re.compile(r"(?:struct|class|enum class|enum|union) (\w+)")
CONSTANT = re.compile(r"(?:constexpr|const|constinit|static|inline|thread_local)\b[^(=]*?\b(k[A-Z]\w*)\b(?=[ \[{=(;])")
FUNCTION = re.compile(r"(?:[\w:<>,&*\[\]() ]+[ &*>])(\w+)\(")
NO_FUNCTION = ("return", "using", "template", "static_assert", "TEST_CASE", "struct", "class", "}", "#", "/")


def library_of(path):
    parts = path.split("/")
    if parts[0] == "tests":
        return "/".join(parts[:2]) if path.endswith("_test.cpp") and parts[1] in LIBRARIES else None
    if ALONE.match(path):
        return None
    return max((name for name in LIBRARIES if path.startswith(name + "/")), key=len, default=None)


def names_in(text, is_local):
    """Of a file in this project's format: what its unnamed namespaces define, or its functions outside them, with the
    namespace around."""
    around, is_inside = "", False
    for line in re.sub(r'R"\((?:.|\n)*?\)"', '""', text).splitlines():
        if opened := re.match(r"namespace ([\w:]+) \{$", line):
            around = opened[1]
        elif line == "namespace {":
            is_inside = True
        elif line == "}  // namespace":
            is_inside = False
        elif line.startswith("}  // namespace "):
            around = ""
        elif is_inside == is_local and line and line[0] != " ":
            found = (TYPE.match(line) or CONSTANT.match(line)) if is_local else None
            if not found and not line.startswith(NO_FUNCTION):
                found = FUNCTION.match(line)
            if found:
                yield around, found[1]


def is_hidden(path, around, header, declared_in):
    """Whether a local name of a file hides a header's from other files that are compiled with it."""
    if not path.startswith("tests/"):
        return not header.startswith("tests/") and (around + "::").startswith(declared_in + "::")
    folder = path.split("/")[1]  # its tests use what they test without its namespace
    return header.startswith((f"tests/{folder}/", "tests/support/", "tests/nano/", "tests/few_samples.h", f"{folder}/",
                              "models/"))


def main():
    root = pathlib.Path(sys.argv[1])
    folders = {name.split("/")[0] for name in LIBRARIES} | {"tests"}
    declared = collections.defaultdict(set)
    for file in (each for folder in folders for each in (root / folder).rglob("*.h")):
        for around, name in names_in(file.read_text(), is_local=False):
            declared[name].add((file.relative_to(root).as_posix(), around))
    places = collections.defaultdict(set)
    problems = []
    for file in sorted(each for folder in folders for each in (root / folder).rglob("*.cpp")):
        path = file.relative_to(root).as_posix()
        library = library_of(path)
        for around, name in names_in(file.read_text(), is_local=True) if library else []:
            places[library, around, name].add(path)
            for header, declared_in in sorted(declared[name]):
                if is_hidden(path, around, header, declared_in):
                    problems.append(f"{path}: {name} hides that of {header}")
    if len(places) < 1000:
        sys.exit(f"local names: expected thousands, found {len(places)}: is {root} this project?")
    for (library, _, name), found in sorted(places.items()):
        if len(found) > 1:
            problems.append(f"{library}: {name} is in {', '.join(sorted(found))}")
    print(*sorted(set(problems)), "local names: " + ("FAILED" if problems else "ok"), sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
