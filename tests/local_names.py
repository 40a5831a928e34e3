"""Names that a file keeps to itself are used once in a library: local_names.py ROOT.

Files of a library, or of a test program, are compiled together (CMake's unity build), and their unnamed namespaces
are one. Two functions of one name and other parameters are then overloads of each other, and a call may take the
wrong one in silence; the compiler complains only of equal ones. Exit code 1 with a line for each name that two files
have. What is in the same enclosing namespace counts; `using X = ...` does not, which has to be the same type."""
import collections
import pathlib
import re
import sys

# These files are compiled one by one, or not together.
ALONE = re.compile(r"models/kernels/|app/engine/examples/|.*/target_\w+\.cpp|app/python/")
LIBRARIES = ["models/base", "models", "npu", "audio", "encoder", "decoder", "app/engine", "app", "bench"]

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


def local_names(text):
    """Of a file in this project's format: what its unnamed namespaces define, with the namespace around them."""
    around, is_local = "", False
    for line in text.splitlines():
        if opened := re.match(r"namespace ([\w:]+) \{$", line):
            around = opened[1]
        elif line == "namespace {":
            is_local = True
        elif line == "}  // namespace":
            is_local = False
        elif line.startswith("}  // namespace "):
            around = ""
        elif is_local and line and line[0] != " ":
            found = TYPE.match(line) or CONSTANT.match(line)
            if not found and not line.startswith(NO_FUNCTION):
                found = FUNCTION.match(line)
            if found:
                yield around + "::" + found[1]


def main():
    root = pathlib.Path(sys.argv[1])
    places = collections.defaultdict(set)
    for file in root.glob("*/**/*.cpp"):
        path = file.relative_to(root).as_posix()
        if library := library_of(path):
            for name in local_names(file.read_text()):
                places[library, name].add(path)
    if len(places) < 1000:
        sys.exit(f"local names: expected thousands, found {len(places)}: is {root} this project?")
    shared = {key: found for key, found in places.items() if len(found) > 1}
    for (library, name), found in sorted(shared.items()):
        print(f"{library}: {name} is in {', '.join(sorted(found))}")
    print(f"local names: {len(shared)} shared" if shared else "local names: ok")
    return 1 if shared else 0


if __name__ == "__main__":
    sys.exit(main())
