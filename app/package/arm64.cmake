# For the preset arm64: Debian's cross compiler, and libraries of its architecture arm64 beside the
# machine's own (dpkg --add-architecture arm64). tests/arm64.sh makes a root that has both.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
# Not those of the machine that compiles.
set(CMAKE_IGNORE_PATH /usr/lib/x86_64-linux-gnu /usr/lib/x86_64-linux-gnu/pkgconfig)
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig)
find_program(WNPU_QEMU NAMES qemu-aarch64-static qemu-aarch64)
if(WNPU_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${WNPU_QEMU})  # its CPU: QEMU_CPU, or all that it has
endif()
