#!/bin/bash
# npu_compute_test.sh WHISPER_NPU SOURCE: `npu compute`, from .npy files to one, against fp64 computed here.
root=$(cd "$2" && pwd)
source "$(dirname "${BASH_SOURCE[0]}")/../expect.sh"

cat >npy.py <<'PY'
import ast, math, random, struct, sys
def write(path, shape, values):
    header = str({"descr": "<f4", "fortran_order": False, "shape": tuple(shape)}).encode() + b"\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
        file.write(struct.pack("<%df" % len(values), *values))
def read(path):
    data = open(path, "rb").read()
    length, = struct.unpack("<H", data[8:10])
    shape = ast.literal_eval(data[10:10 + length].decode())["shape"]
    return shape, struct.unpack("<%df" % math.prod(shape), data[10 + length:])
PY

python3 - <<'PY'
from npy import *
random.seed(5)
def values(n): return [random.uniform(-1, 1) for _ in range(n)]
write("a.npy", (30, 50), values(1500))
write("b.npy", (50, 20), values(1000))
write("q.npy", (2, 9, 24), values(432))
write("wide.npy", (4, 300), values(1200))
write("nan.npy", (2, 2), [1, math.nan, 3, 4])
PY

for type in bf16 int8 int16; do
  expect 0 "matmul $type \[30, 50\] x \[50, 20\]: on simulated.* modelled" npu compute matmul a.npy b.npy -o c.npy \
    --type $type --overwrite
  [ ! -s out ] || fail "stdout: $(head -c 100 out)"
  python3 - $type <<'PY' || fail "matmul $type: wrong"
from npy import *
(m, k), a = read("a.npy"); (_, n), b = read("b.npy"); shape, c = read("c.npy")
assert shape == (m, n), shape
exact = [sum(a[i * k + l] * b[l * n + j] for l in range(k)) for i in range(m) for j in range(n)]
worst = max(abs(x - y) for x, y in zip(exact, c))
assert worst < {"bf16": 0.05, "int8": 0.1, "int16": 0.0005}[sys.argv[1]], worst
PY
done

cp c.npy before.npy
expect 6 'c.npy: is there' npu compute matmul a.npy b.npy -o c.npy
python3 -c "import wave; f = wave.open('talk.wav', 'wb'); f.setparams((1, 2, 16000, 0, 'NONE', '')); \
f.writeframes(bytes(32000))"
cp talk.wav talk.copy
cp a.npy a.copy
expect 6 'talk.wav: expected a place for a result, found audio' \
  npu compute matmul a.npy b.npy -o talk.wav --overwrite
expect 2 'a.npy: would get a result, but it is an input' npu compute matmul a.npy b.npy -o a.npy --overwrite
cmp talk.wav talk.copy || fail "a recording is replaced"
cmp a.npy a.copy || fail "an input is replaced"
cmp -s c.npy before.npy || fail "a result that was there was changed"
expect 2 'output is required' npu compute gelu a.npy
expect 2 'expected 2 files \(A.npy B.npy\), found 1' npu compute matmul a.npy -o x.npy
expect 2 'b: expected 50 rows, as many as a has columns, found 30' npu compute matmul a.npy a.npy -o x.npy
expect 2 'expected finite values, since a scale is made of the largest, found nan at \[0, 1\]' \
  npu compute matmul nan.npy nan.npy -o x.npy --type int8
expect 2 'missing.npy: expected a file that can be read' npu compute gelu missing.npy -o x.npy
expect 2 'expected NumPy' npu compute gelu npy.py -o x.npy
expect 2 'device: expected npu, npu:N or sim, found cpu' npu compute gelu a.npy -o x.npy --device cpu
expect 5 'expected a memory limit of at least [0-9]+ bytes, found 1024' \
  npu compute matmul a.npy b.npy -o x.npy --memory-limit 1K
expect 2 'memory-limit.*expected bytes' npu compute gelu a.npy -o x.npy --memory-limit 1X
[ ! -e x.npy ] || fail "a result of what was refused"
if [ ! -e /dev/accel/accel0 ]; then expect 5 'no NPU' npu compute gelu a.npy -o x.npy --device npu; fi

expect 0 'no core has a softmax by itself, and made of attention it takes rows of up to 32' \
  npu compute softmax wide.npy -o s.npy --json
grep -q 'on the CPU, no NPU was used' err || fail "softmax: does not say that the CPU did it"
python3 - <<'PY' || fail "softmax: wrong"
from npy import *
import json
report = json.load(open("out"))
assert report["ran_on"] == "cpu" and report["calls"] == 0 and report["device"] is None, report
assert report["modelled_ms"] is None and not report["simulated"], report
(m, n), s = read("s.npy")
assert all(abs(sum(s[i * n:(i + 1) * n]) - 1) < 1e-5 for i in range(m))
PY
expect 0 'made of attention to unit vectors' npu compute softmax q.npy -o s2.npy
expect 0 'layer_norm \[30, 50\]: on simulated' npu compute layer-norm a.npy -o n.npy
expect 0 'gelu \[4, 300\]: on simulated' npu compute gelu wide.npy -o g.npy
expect 0 'attention \[2, 9, 24\] to \[2, 9, 24\]: on simulated' npu compute attention q.npy q.npy q.npy -o t.npy --json
python3 - <<'PY' || fail "attention: wrong"
from npy import *
import json
report = json.load(open("out"))
assert report["ran_on"] == "core" and report["simulated"] and report["modelled_ms"] > 0, report
assert report["memory_bytes"] > 0 and report["memory_bytes_apart"] >= report["memory_bytes"], report
(h, m, w), q = read("q.npy"); _, t = read("t.npy")
for head in range(h):
    rows = [q[(head * m + i) * w:(head * m + i + 1) * w] for i in range(m)]
    for i, row in enumerate(rows):
        e = [math.exp(sum(x * y for x, y in zip(row, other)) / math.sqrt(w)) for other in rows]
        for c in range(w):
            exact = sum(x * other[c] for x, other in zip(e, rows)) / sum(e)
            assert abs(exact - t[(head * m + i) * w + c]) < 0.02, (head, i, c)
PY
expect 0 'layer_norm \[32, 384\]: on simulated' npu compute layer-norm "$root/tests/data/jfk/stem.npy" -o norm.npy
echo "npu_compute: ok"
