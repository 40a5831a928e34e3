#!/bin/bash
# first_light_script_test.sh WHISPER_NPU SOURCE_DIR: npu/first_light/first_light.sh as far as a machine
# without an NPU goes: what it refuses and with which exit code, and that it keeps an XCLBIN that is
# still right. What it fetches and builds from there is not tried.
set -euo pipefail
program=$1
script=$2/npu/first_light/first_light.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export XDG_CACHE_HOME=$work/cache
export FIRST_LIGHT_SYSTEM=$work/system

fail() {
  echo "first_light_script: $1" >&2
  exit 1
}

# expect CODE PATTERN OPTIONS...
expect() {
  local code=0
  bash "$script" "${@:3}" >out 2>&1 </dev/null || code=$?
  [ "$code" = "$1" ] || fail "${*:3}: expected exit code $1, found $code: $(cat out)"
  grep -qE -- "$2" out || fail "${*:3}: expected \"$2\", found: $(cat out)"
}

# pci DEVICE: an AMD device with this id; its folder to stdout
pci() {
  local folder=$FIRST_LIGHT_SYSTEM/sys/bus/pci/devices/0000:c4:00.1
  mkdir -p "$folder"
  echo 0x1022 >"$folder/vendor"
  echo "$1" >"$folder/device"
  echo 1.5.5.391 >"$folder/fw_version"
}

expect 2 'expected an option of --help, found --faster' --faster
expect 2 '--until: expected machine' --until dawn
expect 2 '--device: expected npu' --device cpu
expect 2 'expected a value' -o
expect 0 'Exit codes' --help

mkdir -p "$FIRST_LIGHT_SYSTEM"
expect 10 'no AMD NPU on the PCI bus.*--device sim'
pci 0x17f0
expect 12 'NPU 0000:c4:00.1 \(npu4\)'
pci 0x1502
expect 12 'no /dev/accel node'
mkdir -p "$FIRST_LIGHT_SYSTEM"/{dev/accel,sys/class/accel/accel0/device,sys/class/dmi/id,drivers/amdxdna}
touch "$FIRST_LIGHT_SYSTEM/dev/accel/accel0"
ln -s "$FIRST_LIGHT_SYSTEM/drivers/other" "$FIRST_LIGHT_SYSTEM/sys/class/accel/accel0/device/driver"
expect 12 'no /dev/accel node'
ln -sfn "$FIRST_LIGHT_SYSTEM/drivers/amdxdna" "$FIRST_LIGHT_SYSTEM/sys/class/accel/accel0/device/driver"
echo "A box" >"$FIRST_LIGHT_SYSTEM/sys/class/dmi/id/product_name"
if [ "$(id -u)" = 0 ]; then
  expect 0 'A box: NPU 0000:c4:00.1 \(npu1\), firmware 1.5.5.391' --until machine
else
  chmod 0 "$FIRST_LIGHT_SYSTEM/dev/accel/accel0"
  expect 13 'usermod -aG render' --until machine
  chmod 600 "$FIRST_LIGHT_SYSTEM/dev/accel/accel0"
  (ulimit -l 64 && expect 14 'may lock 64 KiB' --until machine)
fi

# Nothing is fetched without an answer, and all that would be is named first.
code=0
bash "$script" --until tools --program "$program" >out 2>&1 </dev/null || code=$?
case $code in
  0 | 14 | 20 | 21 | 22) ;;
  *) fail "tools: found exit code $code: $(cat out)" ;;
esac
[ ! -e "$XDG_CACHE_HOME/whisper-npu/first-light/venv" ] || fail "something was installed unasked"
expect 0 'would run: .*npu first-light --device npu --size base --output first_light.json' --dry-run \
  --program "$program"
grep -q 'mlir_aie==.* from https://github.com/Xilinx/mlir-aie/' out || fail "no source of mlir-aie is named"
grep -q 'would run: .* npu emit --target npu1 --plan first-light' out || fail "a dry run hides what it leaves out"
pci 0x17f0
expect 0 'would run: .*npu first-light .* --xclbin .*/npu4/tiny/npu4.xclbin' --dry-run --size tiny --program "$program"
grep -q 'would run: .* npu emit --target npu4 --plan first-light' out || fail "calls of another NPU: $(cat out)"
pci 0x1502
[ ! -e "$XDG_CACHE_HOME/whisper-npu/first-light" ] || fail "a dry run left something"

# The calls, for the simulator; where they are the same again, what was built of them stays.
calls=$XDG_CACHE_HOME/whisper-npu/first-light/npu1/tiny
build=(--device sim --size tiny --until build --program "$program")
expect 0 'the simulator needs no XCLBIN' "${build[@]}"
(cd "$calls" && sha256sum --quiet -c SHA256SUMS) || fail "sums differ"
echo built >"$calls/npu1.xclbin"
expect 0 "build.sh: $calls" "${build[@]}"
[ "$(cat "$calls/npu1.xclbin")" = built ] || fail "an XCLBIN of the same calls was thrown away"
echo changed >>"$calls/SHA256SUMS"
expect 0 "build.sh: $calls" "${build[@]}"
[ ! -e "$calls/npu1.xclbin" ] || fail "an XCLBIN of other calls was kept"
expect 31 'npu emit' --device sim --size huge --until build --program "$program"

# What the program's exit code becomes.
cat >stand-in <<'PROGRAM'
#!/bin/sh
[ "$2" = emit ] && { for last; do :; done; mkdir "$last" && echo sums >"$last/SHA256SUMS"; exit; }
echo "ran $*"
exit "$RESULT"
PROGRAM
chmod +x stand-in
end=(--device sim --size small --keep-going --runs 3 -o light.json --program ./stand-in)
RESULT=0 expect 0 'SIMULATED. Silicon would begin here' "${end[@]}"
grep -q 'ran npu first-light --device sim --size small --output light.json --keep-going --runs 3' out ||
  fail "options do not reach the program: $(cat out)"
RESULT=1 expect 40 'light.json says which' "${end[@]}"
RESULT=5 expect 41 'exit code 5' "${end[@]}"
echo "first_light_script: ok"
