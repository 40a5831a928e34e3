#!/bin/bash
# npu_emit_test.sh WHISPER_NPU: `npu emit` makes a folder that is whole, is what its sums say and is
# never put over something else.
source "$(dirname "${BASH_SOURCE[0]}")/../expect.sh"

expect 2 'emit or first-light' npu
expect 2 'npu frob: there is no such action' npu frob
expect 2 'emit: expected no files, found emit' npu emit emit
expect 2 '--size: there is no such option' npu --size tiny emit
expect 2 'output-dir is required' npu emit
expect 2 '--size' npu emit --size huge -o d
expect 2 '--plan' npu emit --plan hybrid -o d
expect 6 'cannot be made' npu emit --size tiny --plan gemm -o none/d
[ ! -e d ] || fail "a refused command left a folder"

expect 0 'layer: design [0-9a-f]{16}, [0-9]+ operations' npu emit --size tiny -o d
[ "$(ls -A)" = "$(printf 'd\nerr\nout')" ] || fail "there is more than the folder: $(ls -A)"
(cd d && sha256sum --quiet -c SHA256SUMS) || fail "sums differ"
[ "$(cd d && find . -type f ! -name SHA256SUMS | wc -l)" = "$(wc -l <d/SHA256SUMS)" ] ||
  fail "a file has no sum"
bash -n d/build.sh || fail "build.sh is no script"
[ -x d/build.sh ] || fail "build.sh is not executable"
code=0
(cd d && PATH=/usr/bin:/bin PEANO='' ./build.sh >/dev/null 2>&1) || code=$?
[ "$code" = 2 ] || fail "build.sh without tools: expected exit code 2, found $code"
# Stand-ins of the tools that say what build.sh asks of them: a compiler that makes what -o names,
# and aiecc, which takes cores' ELFs from --tmpdir, as that of 2026-03-14 does with --no-compile.
mkdir -p tools/bin tools/aie_api
touch tools/aie_api/aie.hpp
cat >tools/bin/clang++ <<'END'
#!/bin/bash
while [ $# -gt 0 ]; do
  case $1 in
    -o) touch "$2"; shift ;;
    *.cc | *.o) [ -f "$1" ] || exit 1 ;;
    -Wl,-T,*) [ -f "${1#-Wl,-T,}" ] || exit 1 ;;
  esac
  shift
done
END
cat >tools/bin/aiecc <<'END'
#!/bin/bash
for option in "$@"; do
  case $option in
    --tmpdir=*) folder=${option#*=} ;;
    --xclbin-name=*) xclbin=${option#*=} ;;
    *.mlir) module=$option ;;
  esac
done
folder=${folder:-$(basename "$module").prj}
grep -o 'elf_file = "[^"]*"' "$module" | cut -d'"' -f2 | sort -u | while read -r elf; do
  [ -f "$folder/$elf" ] || { echo "aiecc: no $folder/$elf"; exit 1; }
done || exit 1
touch "$xclbin"
END
chmod +x tools/bin/*
(cp -r d built && cd built && PATH=$work/tools/bin:$PATH PEANO=$work/tools AIE_API=$work/tools ./build.sh) \
  >out 2>&1 || fail "build.sh with stand-ins of the tools: $(cat out)"
[ -f built/npu1.xclbin ] || fail "build.sh made no npu1.xclbin"
rm -r tools built
# Every source that one of them includes is there.
grep -rhoE '#include "[^"]+"' d/src | cut -d'"' -f2 | sort -u | while read -r name; do
  [ -f "d/src/$name" ] || fail "src/$name is included and not there"
done
overlay=$(grep -oE '"overlay": "[0-9a-f]{16}"' d/npu1.xclbin.json)
grep -q "overlay $(cut -d'"' -f4 <<<"$overlay")" d/npu1.mlir || fail "module and manifest differ"
grep -oE '[a-z0-9]+\.bin' d/npu1.xclbin.json | while read -r name; do
  [ -s "d/$name" ] || fail "$name is in the manifest and not there"
done

# The other array: its own overlay, all of its columns, AIE2P.
expect 0 'layer: design [0-9a-f]{16}, [0-9]+ operations' npu emit --target npu4 --size tiny -o s
(cd s && sha256sum --quiet -c SHA256SUMS) || fail "sums of npu4 differ"
grep -q 'aie.device(npu2)' s/npu4.mlir || fail "npu4 is not mlir-aie's npu2"
[ "$(grep -c 'aie.core(' s/npu4.mlir)" = 32 ] || fail "expected 32 cores"
grep -q -- '--target=aie2p-none-unknown-elf' s/build.sh || fail "build.sh is not for AIE2P"
! grep -qF "$overlay" s/npu4.xclbin.json || fail "npu1 and npu4 have one overlay"
rm -r s

# Tensor operations beside the layer: streams of their own, each once, all in the manifest.
expect 0 'matmul_0_1: design' npu emit --size tiny --plan gemm --compute matmul:30,50,20:int16 \
  --compute softmax:4,32 --compute softmax:4,32 -o t
grep -q 'softmax_1_0: design' out || fail "no call of softmax"
! grep -q 'softmax_2_0' out || fail "the same call twice"
[ "$(grep -c '\.bin"' t/npu1.xclbin.json)" = 4 ] || fail "expected four streams in the manifest"
expect 0 'gelu_0_0' npu emit --size tiny --plan gemm --compute gelu:3000000 --memory-limit 1M --overwrite -o t
expect 2 '--compute: softmax \[4, 300\]: no core' npu emit --size tiny --compute softmax:4,300 -o u
expect 2 'expected sizes M,K,N, found 2' npu emit --compute matmul:1,2 -o u
expect 2 'found frob:1' npu emit --compute frob:1 -o u
expect 2 'bf16, int8 or int16, found fp8' npu emit --compute matmul:1,1,1:fp8 -o u
expect 2 'found -1' npu emit --compute gelu:-1 -o u
expect 2 'it needs --compute' npu emit --memory-limit 1M -o u
expect 2 'of --dialect aie' npu emit --dialect linalg --compute gelu:1 -o u
rm -r t

# Dialects that say nothing of the array have none of its options, and folders of their own.
expect 2 'of --dialect aie' npu emit --dialect linalg --plan batched -o p
expect 0 'linalg, tiny, fp32' npu emit --dialect linalg --size tiny -o p
expect 6 'npu emit has made' npu emit --size tiny --overwrite -o p
expect 2 'one of aie, linalg, found nnef' npu emit --dialect nnef --size tiny -o u
expect 0 'linalg, base, fp32' npu emit --dialect linalg --overwrite -o p
grep -q 'tensor<1500x512xf32>' p/layer.mlir || fail "what was there was not replaced"
[ -x p/run.sh ] || fail "run.sh is not executable"
! grep -rn '\$[MWFHDNS]\b' p/layer.mlir p/run.mlir p/README.md || fail "an extent without a number"
rm -r p

# The same again is the same, byte for byte.
expect 6 'is there' npu emit --size tiny -o d
expect 0 'layer' npu emit --size tiny -o e/
diff -r d e || fail "the same options gave other files"
# Another plan: the same overlay, seven calls; the folder is replaced whole.
touch d/npu1.xclbin # hours of a compiler
expect 6 'found npu1.xclbin: it is not replaced' npu emit --size tiny --plan batched --overwrite -o d
rm d/npu1.xclbin
expect 0 'attend: design' npu emit --size tiny --plan batched --overwrite -o d
[ "$(grep -oE '"overlay": "[0-9a-f]{16}"' d/npu1.xclbin.json)" = "$overlay" ] ||
  fail "two plans have two overlays"
[ "$(find d -name '*.bin' | wc -l)" = 7 ] || fail "expected 7 streams"
mkdir mine && touch mine/file
expect 6 'it is not replaced' npu emit --size tiny --overwrite -o mine
[ -f mine/file ] || fail "a folder of others was replaced"
ln -s mine link
expect 6 'it is not replaced' npu emit --size tiny --overwrite -o link
[ "$(find . -name '.whisper-npu*' | wc -l)" = 0 ] || fail "a part was left"
echo "npu_emit: ok"
