"""Tensor operations on the simulated NPU, against numpy in float64; errors, handles, memory."""
import numpy as np
import pytest

from whisper_npu import npu
from whisper_npu.errors import DeviceError, UsageError


def random(*shape, seed=0):
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype(np.float32)


@pytest.fixture(scope="module")
def device():
    return npu.Device("sim")


@pytest.mark.parametrize("type, error", [("bf16", 0.05), ("int8", 0.1), ("int16", 5e-4)])
def test_matmul(device, type, error):
    a, b = random(30, 50), random(50, 20, seed=1)
    assert np.abs(device.matmul(a, b, type) - a.astype(float) @ b).max() < error


def test_rows(device):
    x = random(5, 32) * 4
    e = np.exp(x.astype(float) - x.max(1, keepdims=True))
    assert np.abs(device.softmax(x) - e / e.sum(1, keepdims=True)).max() < 0.02
    mean, deviation = x.mean(1, keepdims=True), x.std(1, keepdims=True)
    assert np.abs(device.layer_norm(x) - (x - mean) / deviation).max() < 0.05
    assert np.abs(device.gelu(x) - x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))).max() < 0.05


def test_attention(device):
    q, k, v = random(2, 9, 16), random(2, 11, 16, seed=1), random(2, 11, 16, seed=2)
    scores = np.einsum("hqd,hkd->hqk", q, k).astype(float) / 4
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    exact = np.einsum("hqk,hkd->hqd", weights / weights.sum(-1, keepdims=True), v)
    assert np.abs(device.attention(q, k, v) - exact).max() < 0.02
    assert np.array_equal(device.attention(q, k, v, 0.25), device.attention(q, k, v))


def test_what_is_taken(device):
    x = random(6, 8)
    same = device.gelu(x)
    assert np.array_equal(device.gelu(x.astype(np.float64)), same)
    assert np.array_equal(device.gelu(np.asfortranarray(x)), same)
    assert np.array_equal(device.gelu(x.tolist()), same)
    assert np.array_equal(device.gelu(np.repeat(x, 2, axis=1)[:, ::2]), same)


def test_handles_and_reports(device):
    handles = [device.matmul(random(8, 16, seed=i), random(16, 8), wait=False) for i in range(20)]
    for i, handle in reversed(list(enumerate(handles))):
        assert np.array_equal(handle.result(), device.matmul(random(8, 16, seed=i), random(16, 8)))
        assert handle.ready()
    report = handles[0].report
    assert report["operation"] == "matmul bf16 [8, 16] x [16, 8]"
    assert report["simulated"] and report["ran_on"] == "core" and report["modelled_ms"] > 0
    assert device.softmax(random(2, 100), wait=False).report["ran_on"] == "cpu"
    assert device.is_simulated and "simulated" in device.description


def test_a_result_outlives_all():
    device = npu.Device("sim", threads=1)
    result = device.gelu(np.ones((3, 4)))
    del device
    assert np.allclose(result, 0.8413, atol=0.01)
    with pytest.raises(ValueError):
        result[0, 0] = 1


def test_memory_limit(device):
    a, b = random(900, 64), random(64, 48)
    whole = device.matmul(a, b, wait=False)
    bits = whole.result()
    device.set_memory_limit(whole.report["memory_bytes"] - 1)
    cut = device.matmul(a, b, wait=False)
    assert np.array_equal(cut.result(), bits)
    assert cut.report["calls"] > whole.report["calls"]
    device.set_memory_limit(1)
    with pytest.raises(DeviceError, match=r"^matmul bf16 \[900, 64\] x \[64, 48\]"):
        device.matmul(a, b)
    device.set_memory_limit(None)
    assert np.array_equal(device.matmul(a, b), bits)


def test_errors(device):
    with pytest.raises(UsageError, match=r"^matmul bf16 \[2, 2\] x \[3, 1\]: b: expected 2 rows") as error:
        device.matmul(np.ones((2, 2)), np.ones((3, 1)))
    assert error.value.code == 2
    with pytest.raises(UsageError, match="expected bf16, int8 or int16, found fp8"):
        device.matmul(np.ones((2, 2)), np.ones((2, 1)), "fp8")
    with pytest.raises(UsageError, match="expected npu, npu:N or sim, found gpu"):
        npu.Device("gpu")
    if not npu.is_available():
        with pytest.raises(DeviceError):
            npu.Device(0)
