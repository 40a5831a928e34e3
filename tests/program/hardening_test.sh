#!/bin/bash
# What the linker and the compiler left in the program: the hardening of CMakeLists.txt.
# ctest runs it: hardening_test.sh PROGRAM
set -u
export LC_ALL=C
program=$1
failures=0

# has WHAT REGEX TEXT: a line of TEXT matches.
has() {
  grep -qE -e "$2" <<<"$3" && return
  echo "FAILED: $1: expected a line that matches '$2' in what readelf says of $program"
  failures=$((failures + 1))
}

header=$(readelf --wide --file-header "$program")
segments=$(readelf --wide --segments "$program")
dynamic=$(readelf --wide --dynamic "$program")
imports=$(readelf --wide --dyn-syms "$program" | grep ' UND ')

has "position independent" 'Type: +DYN' "$header"
has "position independent" '\(FLAGS_1\).*PIE' "$dynamic"
has "no code on the stack" 'GNU_STACK.* RW +0x' "$segments"
has "tables read-only after start" 'GNU_RELRO' "$segments"
has "all symbols bound at start" '\(FLAGS_1\).*NOW' "$dynamic"
has "stack protector" ' __stack_chk_fail@' "$imports"
has "the library's checks of indices" ' _ZSt21__glibcxx_assert_failPKciS0_S0_@' "$imports"
has "checked functions of libc (FORTIFY_SOURCE)" ' __[a-z]+_chk@' "$imports"

# Intel CET. The linker notes it in the program only where all it links has it, Debian's crti.o does
# not; so the first instruction of main() is looked at.
if [ "$(uname -m)" = x86_64 ]; then
  main=0x$(nm "$program" | sed -n 's/ T main$//p')
  code=$(objdump -d --start-address="$main" --stop-address=$((main + 4)) "$program")
  has "marked targets of indirect jumps (CET)" 'endbr64' "$code"
fi

if [ $failures -eq 0 ]; then echo "hardening_test: ok"; fi
exit $((failures > 0))
