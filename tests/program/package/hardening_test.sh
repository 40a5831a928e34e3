#!/bin/bash
# What the linker and the compiler left in program and library: the hardening of CMakeLists.txt.
# ctest runs it: hardening_test.sh PROGRAM LIBRARY
set -u
export LC_ALL=C
failures=0

# has WHAT REGEX TEXT: a line of TEXT matches.
has() {
  grep -qE -e "$2" <<<"$3" && return
  echo "FAILED: $1: expected a line that matches '$2' in what readelf says of $file"
  failures=$((failures + 1))
}

# has_marked_targets FUNCTION [OPTION_OF_NM]: indirect jumps end at marked places, by Intel's CET or ARM's BTI. The
# linker notes it only where all it links has it, Debian's crti.o does not; so the first instruction of a function is
# looked at. The file may be for another machine than this one.
has_marked_targets() {
  local start mark objdump=objdump
  case $(readelf --file-header "$file") in
    *'X86-64'*) mark=endbr64 ;;
    *AArch64*)
      mark='paciasp|bti'
      if command -v aarch64-linux-gnu-objdump >/dev/null; then objdump=aarch64-linux-gnu-objdump; fi
      ;;
    *) return ;;
  esac
  start=0x$(nm "${@:2}" "$file" | sed -nE "s/ T $1(@.*)?$//p")
  has "marked targets of indirect jumps" "$mark" \
    "$("$objdump" -d --start-address="$start" --stop-address=$((start + 4)) "$file")"
}

# has_shadow_stack: Intel's CET note, without which the C library gives a process none.
has_shadow_stack() {
  case $(readelf --file-header "$file") in
    *'X86-64'*) has "the note of shadow stacks" 'x86 feature:.*SHSTK' "$(readelf --notes "$file")" ;;
  esac
}

# check FILE
check() {
  file=$1
  local header segments imports
  header=$(readelf --wide --file-header "$file")
  segments=$(readelf --wide --segments "$file")
  dynamic=$(readelf --wide --dynamic "$file")
  imports=$(readelf --wide --dyn-syms "$file" | grep ' UND ')
  has "position independent" 'Type: +DYN' "$header"
  has "no code on the stack" 'GNU_STACK.* RW +0x' "$segments"
  has "tables read-only after start" 'GNU_RELRO' "$segments"
  has "all symbols bound at start" '\(FLAGS_1\).*NOW' "$dynamic"
  has "stack protector" ' __stack_chk_fail@' "$imports"
  has "the library's checks of indices" ' _ZSt21__glibcxx_assert_failPKciS0_S0_@' "$imports"
  has "checked functions of libc (FORTIFY_SOURCE)" ' __[a-z]+_chk@' "$imports"
  has_shadow_stack
  if grep -q TEXTREL <<<"$dynamic"; then
    echo "FAILED: code that is not written to: found TEXTREL in $file"
    failures=$((failures + 1))
  fi
}

check "$1"
has "position independent" '\(FLAGS_1\).*PIE' "$dynamic"
has_marked_targets main
check "$2"
has "its name has the version of the interface" 'SONAME.*\[libwhisper_npu\.so\.[0-9]+\]' "$dynamic"
has_marked_targets whisper_npu_version --dynamic

# What others can call, or could take the place of, is what the headers declare.
public='^(whisper_npu_[a-z_]+@@WHISPER_NPU_[0-9.]+'
public+='|_ZNK?4wnpu(5Error|5Model|7Session|12TensorDevice|12TensorHandle)[A-Za-z0-9].*@@WHISPER_NPU_CXX_[0-9.]+'
public+='|_ZN4wnpu(10read_audio|9npu_nodes).*@@WHISPER_NPU_CXX_[0-9.]+|_ZT[ISV]N4wnpu5ErrorE@@WHISPER_NPU_CXX_[0-9.]+)$'
exported=$(nm --dynamic --defined-only "$2" | sed -nE 's/^[0-9a-f]+ [^A] //p')
others=$(grep -vE "$public" <<<"$exported"; grep State <<<"$exported")
if [ -n "$others" ]; then
  echo "FAILED: expected the names of its headers alone, found in $2: $(c++filt <<<"$others" | head -n 5)"
  failures=$((failures + 1))
fi
declared=$(grep -oE '\bwhisper_npu_[a-z_]+\(' "$(dirname "$0")/../../app/engine/whisper_npu.h" | tr -d '(' | sort -u)
missing=$(comm -23 <(echo "$declared") <(sed -n 's/@@.*//p' <<<"$exported" | sort -u))
if [ -n "$missing" ]; then
  echo "FAILED: expected in $2, found not: $missing"
  failures=$((failures + 1))
fi

if [ $failures -eq 0 ]; then echo "hardening_test: ok"; fi
exit $((failures > 0))
