#!/usr/bin/env bash
# From a machine with an AMD NPU to first_light.json: what is needed is installed, the XCLBIN built,
# every call run, compared with the simulator's bits and timed. May be run again: what is done
# already is not done twice. Never run to its end: nobody had an NPU (npu/README.md, "First light").
#
#   bash npu/first_light/first_light.sh [options]
#     --device npu|npu:N|sim   which NPU; sim: the simulator, so that all but silicon is tried
#     -o FILE                  the result (first_light.json)
#     --size SIZE              whose encoder layer (base)
#     --until STEP             stop after machine, tools, build or run (run)
#     --yes                    install and fetch without asking
#     --dry-run                say what would be done, and do nothing
#     --program PATH           a whisper-npu that is built already
#     --keep-going, --clock-ghz GHZ, --runs N, --overwrite   as npu first-light takes them
#
# Exit codes: 0 done; 2 wrong options
#   10 no NPU on the PCI bus   12 no driver   13 no permission   14 too little memory may be locked
#   20 packages are missing    21 an XRT that knows no NPU   22 mlir-aie or Peano is missing
#   30 whisper-npu does not build   31 it emits nothing      32 no XCLBIN
#   40 a step of npu first-light failed: FILE says which     41 it could not run
# Environment: MLIR_AIE, LLVM_AIE: other versions ("mlir_aie==1.4.2"); XDG_CACHE_HOME.
set -euo pipefail
# shellcheck source=../../app/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../app/setup.sh"

# The release whose tools are nearest to what npu emit writes, and a Peano after llvm-aie #1249,
# without which a float product of aie_api does not link (npu/kernel/README.md). mlir-aie's README
# names both places. Whether they build our module has not been tried.
mlir_aie=${MLIR_AIE:-mlir_aie==1.4.2}
llvm_aie=${LLVM_AIE:-llvm-aie==22.0.0.2026090201+a36c62b9}
mlir_aie_links=https://github.com/Xilinx/mlir-aie/releases/expanded_assets/v${mlir_aie##*==}
llvm_aie_links=https://github.com/Xilinx/llvm-aie/releases/expanded_assets/nightly
# Ubuntu: as mlir-aie's README has them. Debian: from forky on.
xrt_packages=(libxrt2 libxrt-npu2 libxrt-dev libxrt-utils libxrt-utils-npu)
debian_xrt_packages=(libxrt2 libxrt-npu2 libxrt-dev xclbinutil)
xrt_ppa=ppa:amd-team/xrt

device=npu
target=npu1 # of the NPU that is found; the simulator's else
output=first_light.json
size=base
until=run
assume_yes=
dry_run=
program=
light_options=()
system=${FIRST_LIGHT_SYSTEM:-} # a folder in the place of /, for tests
folder=$cache/first-light

stop() { # stop CODE TEXT...
  echo "first_light.sh: ${*:2}" >&2
  exit "$1"
}

usage() {
  sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"
}

read_options() {
  while [ $# -gt 0 ]; do
    case $1 in
      --yes) assume_yes=1 ;;
      --dry-run) dry_run=1 ;;
      --keep-going | --overwrite) light_options+=("$1") ;;
      -h | --help) usage && exit 0 ;;
      --device | -o | --size | --until | --program | --clock-ghz | --runs)
        [ $# -gt 1 ] || stop 2 "$1: expected a value"
        case $1 in
          --device) device=$2 ;;
          -o) output=$2 ;;
          --size) size=$2 ;;
          --until) until=$2 ;;
          --program) program=$2 ;;
          *) light_options+=("$1" "$2") ;;
        esac
        shift
        ;;
      *) stop 2 "expected an option of --help, found $1" ;;
    esac
    shift
  done
  [[ $device =~ ^(npu(:[0-9]+)?|sim)$ ]] || stop 2 "--device: expected npu, npu:N or sim, found $device"
  [[ $until =~ ^(machine|tools|build|run)$ ]] ||
    stop 2 "--until: expected machine, tools, build or run, found $until"
}

# Asks before something comes from elsewhere.
agreed() {
  [ -z "$assume_yes" ] || return 0
  [ -t 0 ] || { echo "(no terminal to ask on: --yes says yes)" && return 1; }
  local answer
  read -r -p "Go on? [y/N] " answer
  [[ $answer =~ ^[yY] ]]
}

run() { # run COMMAND...: or say it, with --dry-run
  if [ -n "$dry_run" ]; then
    echo "would run: $*"
  else
    "$@"
  fi
}

# The same without what the command says.
run_quietly() {
  if [ -n "$dry_run" ]; then
    run "$@"
  else
    "$@" >/dev/null
  fi
}

# stop_here CODE TEXT: ends the script, but for a dry run, which says so and goes on.
stop_here() {
  [ -n "$dry_run" ] || stop "$@"
  echo "would stop here with exit code $1: ${*:2}"
}

# ---- machine

word_of() { [ -r "$1" ] && head -n 1 "$1" || true; }

# The PCI devices of AMD's NPUs: 1502 Phoenix and Hawk Point, 17f0 Strix, Strix Halo and Krackan
# (amdxdna).
npus() {
  local path
  for path in "$system"/sys/bus/pci/devices/*; do
    [ "$(word_of "$path/vendor")" = 0x1022 ] || continue
    case $(word_of "$path/device") in
      0x1502) echo "$path npu1" ;;
      0x17f0) echo "$path npu4" ;;
    esac
  done
}

check_node() {
  local node="" driver="" candidate
  for candidate in "$system"/dev/accel/accel*; do
    [ -e "$candidate" ] || continue
    driver=$(readlink "$system/sys/class/accel/${candidate##*/}/device/driver" || true)
    [ "${driver##*/}" = amdxdna ] && node=$candidate && break
  done
  if [ -z "$node" ]; then
    stop_here 12 "no /dev/accel node of the driver amdxdna. Linux 6.14 and later has it" \
      "(modprobe amdxdna; Debian's linux-image), older Ubuntu by amdxdna-dkms of $xrt_ppa;" \
      "its firmware is in linux-firmware (amdnpu/)"
    return
  fi
  [ -r "$node" ] && [ -w "$node" ] ||
    stop_here 13 "$node may not be opened: sudo usermod -aG render $(id -un), then log in again"
}

# XRT's driver locks 64 MiB when it opens a device; capability 14 (IPC_LOCK) lifts the limit.
check_memlock() {
  local limit capabilities
  limit=$(ulimit -l)
  capabilities=0x$(sed -n 's/^CapEff:[[:space:]]*//p' /proc/self/status)
  [ "$limit" = unlimited ] || ((capabilities >> 14 & 1)) || [ "$limit" -ge 65536 ] ||
    stop_here 14 "this user may lock $limit KiB of memory and the driver wants 65536: add" \
      "'$(id -un) - memlock unlimited' to /etc/security/limits.d/99-amdxdna.conf and log in again"
}

step_machine() {
  say "1/4 machine"
  if [ "$device" = sim ]; then
    echo "no NPU is asked for: the simulator runs the calls"
    return
  fi
  local found
  found=$(npus)
  if [ -z "$found" ]; then
    stop_here 10 "no AMD NPU on the PCI bus (1022:1502, 1022:17f0): first light needs Phoenix, Hawk" \
      "Point, Strix, Strix Halo or Krackan, with the NPU (IPU) enabled in the BIOS. --device sim" \
      "tries all but silicon"
  else
    target=$(tail -n 1 <<<"$found") && target=${target##* } # a machine has NPUs of one kind
    while read -r path _; do
      echo "$(word_of "$system/sys/class/dmi/id/product_name"): NPU ${path##*/} ($target)," \
        "firmware $(word_of "$path/fw_version"), Linux $(uname -r)"
    done <<<"$found"
  fi
  check_node
  check_memlock
}

# ---- tools

has_xrt() { # one that knows contexts of an NPU (2.18), with its driver's user side
  local place
  for place in /usr/include /opt/xilinx/xrt/include; do
    [ -e "$place/xrt/xrt_hw_context.h" ] || continue
    ldconfig -p | grep -q libxrt_driver_xdna && return 0
    compgen -G "/opt/xilinx/xrt/lib/libxrt_driver_xdna.so*" >/dev/null && return 0
  done
  return 1
}

install_xrt() {
  if has_xrt && command -v xclbinutil >/dev/null; then
    echo "XRT with its driver for XDNA and xclbinutil are there"
    return
  fi
  local name
  name=$(. /etc/os-release && echo "$ID $VERSION_ID")
  case $name in
    ubuntu*) echo "from $xrt_ppa, by apt: ${xrt_packages[*]}" ;;
    "debian 12") stop_here 21 "the XRT of Debian 12 (2.13) knows no NPU: use Debian forky or" \
      "Ubuntu 24.04, or build XRT and amd/xdna-driver from their sources" && return ;;
    debian*) xrt_packages=("${debian_xrt_packages[@]}") && echo "from Debian, by apt: ${xrt_packages[*]}" ;;
    *) stop_here 20 "no packages are known for $name: install XRT 2.18 or later, its plugin for" \
      "XDNA and xclbinutil" && return ;;
  esac
  [ -n "$dry_run" ] || agreed || stop 20 "XRT is missing"
  local as_root=()
  [ "$(id -u)" = 0 ] || as_root=(sudo)
  [[ $name != ubuntu* ]] || run "${as_root[@]}" add-apt-repository -y "$xrt_ppa"
  run "${as_root[@]}" apt-get update -qq || stop 20 "apt-get update"
  run "${as_root[@]}" apt-get install -y "${xrt_packages[@]}" || stop 20 "apt-get install"
  [ -n "$dry_run" ] || { has_xrt && command -v xclbinutil >/dev/null; } ||
    stop 21 "the XRT that was installed has no driver for XDNA, or there is no xclbinutil"
}

site_packages() { echo "$folder"/venv/lib/python3*/site-packages; }

has_tools() {
  [ -x "$folder/venv/bin/python" ] && [ -x "$(site_packages)/llvm-aie/bin/clang++" ] &&
    [ -f "$(site_packages)/mlir_aie/include/aie_api/aie.hpp" ] &&
    { [ -x "$folder/venv/bin/aiecc" ] || [ -x "$(site_packages)/mlir_aie/bin/aiecc" ]; }
}

install_tools() {
  if has_tools; then
    echo "mlir-aie and Peano are in $folder/venv"
    return
  fi
  echo "to $folder/venv, by pip:"
  echo "  $mlir_aie from $mlir_aie_links"
  echo "  $llvm_aie from $llvm_aie_links"
  [ -n "$dry_run" ] || agreed || stop 22 "mlir-aie and Peano are missing"
  run mkdir -p "$folder"
  run python3 -m venv "$folder/venv" || stop 22 "python3 -m venv: install python3-venv"
  run "$folder/venv/bin/python" -m pip install --quiet "$mlir_aie" -f "$mlir_aie_links" ||
    stop 22 "pip: $mlir_aie; another version: MLIR_AIE=mlir_aie==VERSION"
  run "$folder/venv/bin/python" -m pip install --quiet "$llvm_aie" -f "$llvm_aie_links" ||
    stop 22 "pip: $llvm_aie; nightly builds go after a while: LLVM_AIE=llvm-aie==VERSION"
  [ -n "$dry_run" ] || has_tools ||
    stop 22 "the wheels have not aiecc, clang++ or aie_api where they are looked for, below $(site_packages)"
}

step_tools() {
  say "2/4 tools"
  if [ -n "$program" ]; then
    echo "$program is taken"
  elif [ -n "$dry_run" ]; then
    echo "would install what is missing of app/packages.txt, by apt"
  else
    install_packages "$root/app/packages.txt" || stop 20 "packages of app/packages.txt"
  fi
  if [ "$device" = sim ]; then
    echo "the simulator needs no XRT, mlir-aie or Peano"
    return
  fi
  install_xrt
  install_tools
}

# ---- build

build_program() {
  [ -z "$program" ] || return 0
  local xrt=AUTO
  [ "$device" = sim ] || xrt=ON
  program=$root/build/release/app/whisper-npu
  (cd "$root" && run_quietly cmake --preset release -DWNPU_XRT=$xrt) || stop 30 "cmake --preset release"
  (cd "$root" && run cmake --build --preset release --target whisper-npu) || stop 30 "the build failed"
}

# Of the calls and their XCLBIN.
calls_folder() { echo "$folder/$target/$size"; }

# The folder of the calls, left as it is where nothing has changed, so that its XCLBIN is kept.
emit() {
  local calls new
  calls=$(calls_folder)
  new=$calls.new
  run mkdir -p "${calls%/*}"
  run_quietly "$program" npu emit --target "$target" --plan first-light --size "$size" --overwrite -o "$new" ||
    stop 31 "npu emit: see above"
  if [ -z "$dry_run" ] && cmp -s "$new/SHA256SUMS" "$calls/SHA256SUMS"; then
    rm -r "$new"
  else
    run rm -rf "$calls"
    run mv "$new" "$calls"
  fi
  echo "calls, cores' program and build.sh: $calls"
}

build_xclbin() {
  local calls
  calls=$(calls_folder)
  if [ -f "$calls/$target.xclbin" ]; then
    echo "$calls/$target.xclbin is of these calls"
    return
  fi
  run env PATH="$folder/venv/bin:$(site_packages)/mlir_aie/bin:$PATH" \
    PEANO="$(site_packages)/llvm-aie" AIE_API="$(site_packages)/mlir_aie/include" \
    bash "$calls/build.sh" || stop 32 "$calls/build.sh failed: no XCLBIN"
  [ -n "$dry_run" ] || [ -f "$calls/$target.xclbin" ] || stop 32 "$calls/build.sh made no XCLBIN"
}

step_build() {
  say "3/4 build"
  build_program
  emit
  if [ "$device" = sim ]; then
    echo "the simulator needs no XCLBIN"
    return
  fi
  build_xclbin
}

# ---- run

step_run() {
  say "4/4 run"
  local code=0 arguments=(--device "$device" --size "$size" --output "$output" "${light_options[@]}")
  [ "$device" = sim ] || arguments+=(--xclbin "$(calls_folder)/$target.xclbin")
  run "$program" npu first-light "${arguments[@]}" || code=$?
  case $code in
    0) ;;
    1) stop 40 "a step failed: $output says which" ;;
    *) stop 41 "npu first-light ended with exit code $code" ;;
  esac
  [ -n "$dry_run" ] || echo "$output; whisper-npu bench --plans --kernel-table $output"
  [ "$device" != sim ] ||
    echo "SIMULATED. Silicon would begin here: the same calls on an NPU, as an XCLBIN"
}

read_options "$@"
for step in machine tools build run; do
  "step_$step"
  [ "$step" != "$until" ] || break
done
