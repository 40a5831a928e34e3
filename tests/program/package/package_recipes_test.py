"""package_recipes_test.py ROOT [BUILD]: the recipes of app/package and app/packages.txt name what CMake asks for, no
less and no more, options that there are, and files that the build installs."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

root = pathlib.Path(sys.argv[1])
package = root / "app/package"
faults = []

# What CMake asks for: packages of Debian, Homebrew and Nix that have it; None: it is not there, and the recipe
# builds without it.
NEEDS = {
    "find_package Threads": ((), (), ()),
    "find_package PkgConfig": (("pkg-config",), ("pkgconf",), ("pkg-config",)),
    "find_package CLI11": (("libcli11-dev",), ("cli11",), ("cli11",)),
    "find_package nlohmann_json": (("nlohmann-json3-dev",), ("nlohmann-json",), ("nlohmann_json",)),
    "find_package OpenSSL": (("libssl-dev",), ("openssl@3",), ("openssl",)),
    "find_package ZLIB": (("zlib1g-dev",), ("zlib",), ("zlib",)),
    "find_path toml++/toml.h": (("libtomlplusplus-dev",), ("tomlplusplus",), ("tomlplusplus",)),
    "find_package Boost": (("libboost1.81-dev",), ("boost",), ("boost",)),
    "pkg libcurl": (("libcurl4-openssl-dev",), ("curl",), ("curl",)),
    "pkg sndfile": (("libsndfile1-dev",), ("libsndfile",), ("libsndfile",)),
    "pkg libavformat": (("libavformat-dev",), ("ffmpeg",), ("ffmpeg",)),
    "pkg libavcodec": (("libavcodec-dev",), ("ffmpeg",), ("ffmpeg",)),
    "pkg libavutil": (("libavutil-dev",), ("ffmpeg",), ("ffmpeg",)),
    "pkg libswresample": (("libswresample-dev",), ("ffmpeg",), ("ffmpeg",)),
    "pkg libhwy": (("libhwy-dev",), ("highway",), ("libhwy",)),
    "pkg libpcre2-8": (("libpcre2-dev",), ("pcre2",), ("pcre2",)),
    "find_path xrt/xrt_bo.h": (("libxrt-dev",), None, None),
    "find_path uuid/uuid.h": (("uuid-dev",), None, None),
    "find_library xrt_coreutil": (("libxrt-dev",), None, None),
    "find_library uuid": (("uuid-dev",), None, None),
    "find_path onnxruntime_c_api.h": (None, None, None),  # app/setup.sh fetches it; without it there is no --device ort
    "find_package Doxygen": (None, None, None),  # the target api_pages alone
}
# By dlopen, where the function that needs it is called: the Debian package recommends or suggests it.
LOADED = {
    "libcurl.so.4": ("libcurl4", "curl", "curl"),
    "libasound.so.2": ("libasound2", "alsa-lib", "alsa-lib"),
    "libopenblas.so.0": ("libopenblas0", "openblas", "openblas"),
}
# What a recipe needs beside that, to build at all and for app/quickstart.sh.
TOOLS = ({"git", "ca-certificates", "g++", "cmake", "ninja-build", "python3-pip"}, {"cmake", "ninja"}, {"cmake", "ninja"})


def check(condition, text):
    if not condition:
        faults.append(text)


def same(found, expected, what):
    check(not expected - found, f"{what}: lacks {sorted(expected - found)}")
    check(not found - expected, f"{what}: nothing asks for {sorted(found - expected)}")


def cmake_files():
    """Of a build for users: without tests, the Python package and cross builds."""
    for path in sorted([*root.glob("*/**/CMakeLists.txt"), root / "CMakeLists.txt", *root.glob("*/**/*.cmake")]):
        name = str(path.relative_to(root))
        if not re.match(r"(build|tests|out|app/python|app/engine/examples|\.)|.*arm64\.cmake|.*/build_info\.cmake", name):
            yield name, path.read_text(encoding="utf-8")


def asked_for():
    asked = set()
    for _, text in cmake_files():
        code = re.sub(r"#.*", "", text)
        asked |= {f"find_package {name}" for name in re.findall(r"\bfind_package\((\w+)", code)}
        asked |= {f"{kind} {what}" for kind, what in re.findall(r"\b(find_path|find_library)\(\w+\s+([^\s)]+)", code)}
        for words in re.findall(r"\bpkg_check_modules\(\w+([^)]*)\)", code):
            names = [re.split("[><=]", word)[0] for word in words.split()]
            asked |= {f"pkg {name}" for name in names if name not in ("REQUIRED", "QUIET", "IMPORTED_TARGET")}
        # A loop over FFmpeg's libraries, each of which is asked for above as well.
    return {each for each in asked if "$" not in each}


def wanted(column):
    names = {name for needs in NEEDS.values() if needs[column] for name in needs[column]}
    loaded = {needs[column] for needs in LOADED.values()} if column else set()
    return names | loaded | TOOLS[column]


def recipe_names():
    debian = {line for line in (root / "app/packages.txt").read_text().splitlines() if line and not line.startswith("#")}
    formula = (package / "whisper-npu.rb").read_text()
    brew = set(re.findall(r'^ *depends_on "([^"]+)"', formula, re.M))
    nix_text = (package / "package.nix").read_text()
    nix = set()
    for words in re.findall(r"(?:nativeBuildInputs|buildInputs|loaded) = \[([^\]]*)\]", nix_text):
        nix |= set(words.split())
    arguments = set(re.findall(r"[\w-]+", re.sub(r"\?[^,}]*", "", re.search(r"^\{([^}]*)\}:", nix_text, re.M)[1])))
    same(arguments - {"lib", "stdenv", "source", "version"}, nix, "package.nix: arguments")
    return debian, brew, nix


def check_loaded():
    used = set()
    for folder in ("app", "audio", "models", "npu"):
        for path in (p for p in (root / folder).rglob("*.*") if p.suffix in (".h", ".cpp")):
            used |= set(re.findall(r'"(lib[\w-]+\.so\.\d+)"', path.read_text(encoding="utf-8")))
    same(set(LOADED), used, "this test's LOADED, against what app, audio, models and npu load")
    cmake = (package / "package.cmake").read_text()
    lines = " ".join(re.findall(r"CPACK_DEBIAN_PACKAGE_(?:RECOMMENDS|SUGGESTS) (\"[^\"]*\")", cmake))
    for library, (name, _, _) in LOADED.items():
        check(re.search(rf"\b{name}\b", lines), f"package.cmake: neither recommends nor suggests {name}, which has {library}")


def check_options():
    known = set()
    for _, text in cmake_files():
        known |= set(re.findall(r"\boption\((\w+)", text)) | set(re.findall(r"\bset\((\w+) [^)]*\bCACHE\b", text))
    for name in ("whisper-npu.rb", "package.nix", "make_packages.sh", "Dockerfile"):
        text = (package / name).read_text()
        for option in re.findall(r"-D(WNPU_\w+)", text):
            check(option in known, f"{name}: there is no option {option}")


def check_paths():
    """What the recipes name of the tree is there."""
    for name in ("whisper-npu.rb", "package.nix", "make_packages.sh", "ffmpeg_audio.sh", "Dockerfile"):
        for path in re.findall(r"\b((?:app|tests|bench)/[\w./-]+\w)", (package / name).read_text()):
            check((root / path).exists(), f"{name}: no such file: {path}")
    version = re.search(r"project\(whisper-npu VERSION (\S+)", (root / "CMakeLists.txt").read_text())[1]
    check(f'version ? "{version}"' in (package / "package.nix").read_text(), f"package.nix: expected version {version}")
    files = (package / "installed_files.txt").read_text()
    check(f"lib/libwhisper_npu.so.{version}" in files, f"installed_files.txt: expected version {version}")


def check_dockerfile():
    text = (package / "Dockerfile").read_text()
    cache = re.search(r"^ENV XDG_CACHE_HOME=(\S+)", text, re.M)[1]
    check(re.search(rf"^VOLUME {cache}$", text, re.M), f"Dockerfile: models are kept in {cache}, which is no volume")
    user = re.search(r"^USER (\S+)", text, re.M)[1]
    check(user != "root" and re.search(rf"useradd .*\b{user}\b", text), f"Dockerfile: {user} is not made")
    images = re.findall(r"^FROM (\S+)", text, re.M)
    check(len(set(images)) == 1, f"Dockerfile: built in {images[0]}, but run in {images[-1]}")
    needed = set(re.findall(r"\b(dpkg-shlibdeps|dpkg|cpack|git|sha256sum)\b", (package / "make_packages.sh").read_text()))
    check("git" not in needed or "git" in (root / "app/packages.txt").read_text().split(), "Dockerfile: lacks git")
    check("dpkg-dev" in text, "Dockerfile: lacks dpkg-dev, by which CPack finds the libraries' packages")
    check("nasm" in text, "Dockerfile: lacks nasm, which ffmpeg_audio.sh asks for")


def check_units():
    """By systemd's own program, where it is, without the manual page and the program, which are not installed here."""
    service = (package / "whisper-npu.service").read_text()
    path = re.search(r"XDG_CACHE_HOME=(\S+)", service)[1]
    folder = re.search(r"^CacheDirectory=(\S+)$", service, re.M)[1]
    check((path, folder) == ("/var/cache", "whisper-npu"), f"whisper-npu.service: models are in {path}, not in {folder}")
    if not shutil.which("systemd-analyze"):
        return print("package_recipes: units: SKIP: no systemd-analyze")
    with tempfile.TemporaryDirectory(prefix="wnpu_units.") as here:
        units = [pathlib.Path(here) / f"whisper-npu.{kind}" for kind in ("service", "socket")]
        for unit in units:
            text = re.sub(r"^Documentation=.*\n", "", (package / unit.name).read_text(), flags=re.M)
            unit.write_text(re.sub(r"^ExecStart=whisper-npu ", "ExecStart=/bin/true ", text, flags=re.M))
        verify = subprocess.run(["systemd-analyze", "verify", *map(str, units)], capture_output=True, text=True)
        check(verify.returncode == 0 and not verify.stderr, f"units: systemd-analyze verify: {verify.stderr}")
        # At most 1.0 of systemd's 10: "safe".
        exposed = subprocess.run(["systemd-analyze", "security", "--offline=true", "--threshold=10", str(units[0])],
                                 capture_output=True, text=True)
        check(exposed.returncode == 0, f"whisper-npu.service: systemd-analyze security: {exposed.stdout}")


def check_schemas():
    """All schemas are installed; what the program says names them by what they are called there, and where."""
    schemas = {path.name for path in root.glob("*/**/*.schema.json")
               if path.relative_to(root).parts[0] in ("app", "bench", "npu")}
    installed = re.findall(r"^share/whisper-npu/schemas/(.+)$", (package / "installed_files.txt").read_text(), re.M)
    same(set(installed), schemas, "installed_files.txt: schemas")
    for folder in ("app", "bench", "npu"):
        for path in (p for p in (root / folder).rglob("*.*") if p.suffix in (".h", ".cpp")):
            code = re.sub(r"//.*", "", path.read_text(encoding="utf-8"))
            text = "".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', code))
            for name in re.findall(r"[\w/]+\.schema\.json", text):
                place = path.relative_to(root)
                check(name in schemas, f"{place}: expected a schema that is installed, found {name}")
            check(".schema.json" not in text or "share/whisper-npu/schemas" in text,
                  f"{path.relative_to(root)}: names a schema, but not share/whisper-npu/schemas")


def check_containers():
    """What our reader opens with FFmpeg's libraries, those of the tarball open."""
    reader = (root / "audio/read/libav_decoder.cpp").read_text()
    opened = set("".join(re.findall(r'"([^"]*)"', re.search(r"kContainerNames =([^;]*);", reader)[1])).split(","))
    same_demuxer = {"webm": "matroska", "mp4": "mov", "m4a": "mov", "3gp": "mov", "3g2": "mov", "mj2": "mov",
                    "mpeg": "mpegps", "shn": "shorten"}
    script = (package / "ffmpeg_audio.sh").read_text()
    built = set(",".join(re.findall(r"^containers=(?:\$containers,)?(\S+)$", script, re.M)).split(","))
    wanted_names = {same_demuxer.get(name, name) for name in opened}
    same(built, wanted_names | {"amrnb", "amrwb"}, "ffmpeg_audio.sh: containers")


def check_syntax():
    """By the tools, where they are."""
    tools = [("ruby", ["-c"], "whisper-npu.rb"), ("nix-instantiate", ["--parse"], "package.nix"),
             ("nix-instantiate", ["--parse"], "flake.nix")]
    for tool, words, name in tools:
        if not shutil.which(tool):
            print(f"package_recipes: {name}: SKIP its syntax: no {tool}")
            continue
        done = subprocess.run([tool, *words, str(package / name)], capture_output=True, text=True)
        check(done.returncode == 0, f"{name}: {tool}: {done.stderr}")


def check_installed(build):
    cache = (build / "CMakeCache.txt").read_text()
    lib = re.search(r"^CMAKE_INSTALL_LIBDIR:PATH=(.*)$", cache, re.M)[1]
    kind = re.search(r"^CMAKE_BUILD_TYPE:\w+=(.*)$", cache, re.M)[1].lower()
    with tempfile.TemporaryDirectory(prefix="wnpu_recipes.") as folder:
        done = subprocess.run(["cmake", "--install", str(build), "--prefix", folder], capture_output=True, text=True)
        if done.returncode != 0:
            return check(False, f"cmake --install: {done.stderr}")
        there = {str(path.relative_to(folder)) for path in pathlib.Path(folder).rglob("*")
                 if path.is_symlink() or path.is_file()}
    there = {re.sub(rf"^{lib}/", "lib/", path).replace(f"-{kind}.cmake", "-release.cmake") for path in there}
    listed = {line for line in (package / "installed_files.txt").read_text().splitlines() if not line.startswith("#")}
    check(not there - listed, f"installed_files.txt: lacks {sorted(there - listed)}")
    check(not listed - there, f"installed_files.txt: the build does not install {sorted(listed - there)}")


same(set(NEEDS), asked_for(), "this test's NEEDS, against what CMake asks for")
for column, (kind, names) in enumerate(zip(("app/packages.txt", "whisper-npu.rb", "package.nix"), recipe_names())):
    same(names, wanted(column), kind)
check_loaded()
check_options()
check_paths()
check_dockerfile()
check_units()
check_schemas()
check_containers()
check_syntax()
if len(sys.argv) > 2:
    check_installed(pathlib.Path(sys.argv[2]))
print("\n".join(faults) or "package_recipes: ok")
sys.exit(1 if faults else 0)
