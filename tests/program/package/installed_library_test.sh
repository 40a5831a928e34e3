#!/bin/bash
# The library as another project has it: installed, moved, its headers alone, and the examples built
# against it by pkg-config and by CMake's find_package, run with real weights or, where there are none,
# with a small model. ctest runs it: installed_library_test.sh BUILD_FOLDER WRITE_NANO_MODEL
set -u
build=$1
write_nano_model=$2
root=$(cd "$(dirname "$0")/../../.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/whisper-npu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
cc=${CC:-gcc}
cxx=${CXX:-g++}

fail() {
  echo "FAILED: $1"
  failures=$((failures + 1))
}

# must COMMAND...: nothing can go on without.
must() {
  "$@" >"$work/log" 2>&1 && return
  cat "$work/log"
  echo "FAILED: $*"
  exit 1
}

# The folder that it was installed to is gone: nothing may remember it.
must cmake --install "$build" --prefix "$work/first"
mv "$work/first" "$work/prefix"
prefix=$work/prefix
libraries=$(dirname "$(find "$prefix" -name libwhisper_npu.so)")
cp -r "$root/app/engine/examples" "$work/examples"

headers=("$prefix"/include/*)
[ "${headers[*]##*/}" = "whisper_npu.h whisper_npu.hpp whisper_npu_devices.hpp whisper_npu_operator.h whisper_npu_service.hpp whisper_npu_tensor.hpp whisper_npu_tensor_types.hpp whisper_npu_transcript.hpp" ] || fail "expected eight headers, found ${headers[*]}"
# Of the system, and those beside it, alone.
others=$(grep -hE '^ *# *include' "${headers[@]}" |
  grep -vE '^#include (<[a-z_]+(\.h)?>|"whisper_npu(_devices|_tensor_types|_transcript)?\.hpp"(  // beside this one(, with:)?)?)$')
[ -z "$others" ] || fail "headers: expected includes of the standard library, found $others"
strict=(-Wall -Wextra -Werror -pedantic -fsyntax-only)
"$cc" -std=c11 "${strict[@]}" -x c "$prefix/include/whisper_npu.h" || fail "whisper_npu.h as C11"
"$cxx" -std=c++11 "${strict[@]}" -x c++ "$prefix/include/whisper_npu.h" || fail "whisper_npu.h as C++11"
"$cc" -std=c11 "${strict[@]}" -x c "$prefix/include/whisper_npu_operator.h" || fail "whisper_npu_operator.h as C11"
"$cxx" -std=c++11 "${strict[@]}" -x c++ "$prefix/include/whisper_npu_operator.h" || fail "whisper_npu_operator.h as C++11"
echo '#include <whisper_npu.hpp>' >"$work/alone.cpp"
"$cxx" -std=c++20 "${strict[@]}" -I "$prefix/include" "$work/alone.cpp" || fail "whisper_npu.hpp as C++20"
echo '#include <whisper_npu_tensor.hpp>' >"$work/alone.cpp"
"$cxx" -std=c++20 "${strict[@]}" -I "$prefix/include" "$work/alone.cpp" || fail "whisper_npu_tensor.hpp as C++20"

export CMAKE_GENERATOR=Ninja  # make need not be there
export PKG_CONFIG_PATH=$libraries/pkgconfig
read -ra flags <<<"$(pkg-config --cflags --libs whisper_npu)"
must "$cc" -std=c11 -Wall -Wextra -Werror "$work/examples/transcribe.c" -o "$work/c_by_pkg_config" "${flags[@]}"
must "$cxx" -std=c++20 -Wall -Wextra -Werror "$work/examples/transcribe.cpp" -o "$work/cpp_by_pkg_config" "${flags[@]}"
must cmake -S "$work/examples" -B "$work/built" "-DCMAKE_PREFIX_PATH=$prefix"
must cmake --build "$work/built"
grep -q "whisper_npu_DIR:PATH=$prefix" "$work/built/CMakeCache.txt" || fail "find_package took another one"

# A program of C alone needs no C++ compiler of its project's.
mkdir "$work/only_c"
cat >"$work/only_c/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(only_c LANGUAGES C)
find_package(whisper_npu REQUIRED)
add_executable(only_c ../examples/transcribe.c)
target_link_libraries(only_c PRIVATE whisper_npu::whisper_npu)
CMAKE
must cmake -S "$work/only_c" -B "$work/only_c/build" "-DCMAKE_PREFIX_PATH=$prefix"
must cmake --build "$work/only_c/build"

# make_recordings WAV: $work/samples are its samples, $work/long.wav has two windows of them.
make_recordings() {
  python3 - "$1" "$work" <<'PYTHON'
import sys, wave
with wave.open(sys.argv[1]) as wav:
    samples = wav.readframes(wav.getnframes())
open(sys.argv[2] + "/samples", "wb").write(samples)
with wave.open(sys.argv[2] + "/long.wav", "wb") as out:
    out.setparams((1, 2, 16000, 0, "NONE", ""))
    out.writeframes(samples * (1 + 31 * 32000 // len(samples)))
PYTHON
}

# run PROGRAM MODEL WORDS: it says WORDS, and stops in the middle. $work/said has what it says.
run() {
  LD_LIBRARY_PATH=$libraries "$work/$1" "$2" "$work/long.wav" "$work/samples" >"$work/said" 2>&1 ||
    fail "$1, $2: $(cat "$work/said")"
  grep -qa "^samples:.*$3" "$work/said" || fail "$1, $2: expected '$3', found $(cat "$work/said")"
  grep -qa '^stopped (truncated):' "$work/said" || fail "$1, $2: expected to stop, found $(cat "$work/said")"
}

programs=(c_by_pkg_config cpp_by_pkg_config built/transcribe_c built/transcribe_cpp only_c/build/only_c)
for program in "${programs[@]}"; do
  LD_LIBRARY_PATH=$libraries "$work/$program" "$work/none" a b >"$work/said" 2>&1 &&
    fail "$program, a model that is not there: expected exit code 1"
  grep -q "^transcribe: $work/none: expected a model" "$work/said" ||
    fail "$program, a model that is not there: $(cat "$work/said")"
done

LD_LIBRARY_PATH=$libraries "$work/built/tensors" sim >"$work/said" 2>&1 || fail "tensors: $(cat "$work/said")"
grep -qE '^matmul bf16 \[2, 4\] x \[4, 4\] on core, simulated: 0 1 2 3 1 2 3 4$' "$work/said" ||
  fail "tensors: expected the product, found $(cat "$work/said")"
grep -q '^softmax \[2, 4\] on core, simulated: 0\.03' "$work/said" ||
  fail "tensors: expected the softmax, found $(cat "$work/said")"

if [ -e "$cache/tiny.en/model.bin" ] && [ -e "$cache/samples/jfk.wav" ]; then
  make_recordings "$cache/samples/jfk.wav"
  run c_by_pkg_config "$cache/tiny.en" "my fellow Americans"
  mv "$work/said" "$work/said_in_c"
  run built/transcribe_cpp "$cache/tiny.en" "my fellow Americans"
  cmp "$work/said_in_c" "$work/said" || fail "expected the same in C and C++"
else
  echo "SKIP: tiny.en and jfk.wav are not there (app/quickstart.sh fetches them): a small model takes their place"
  must "$write_nano_model" "$work/nano"
  make_recordings "$work/nano/tone.wav"
  run c_by_pkg_config "$work/nano/model" ""
fi

if [ $failures -eq 0 ]; then echo "installed_library_test: ok"; fi
exit $((failures > 0))
