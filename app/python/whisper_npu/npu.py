"""What NPUs there are, and tensor operations on them.

Nothing here has been tried on one: whisper-npu was made without an NPU at hand (npu/README.md).
"""

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Union

import numpy as np

from whisper_npu import _engine
from whisper_npu.errors import DeviceError


@dataclass
class DeviceInfo:
    """An NPU as XRT and its driver show it; what they do not tell is empty, or 0."""

    name: str
    pci_address: str
    firmware: str
    power_mode: str
    columns: int
    usable: bool
    reason: str  # why it cannot be used
    remedy: str  # what mends that


def xrt_version() -> str:
    """ "XRT 2.25", or "built without XRT": such a package uses no NPU."""
    return _engine.xrt_version()


def is_available() -> bool:
    """Whether device "npu" can be opened: XRT shows one, and this process may use it."""
    return any(device_info(i).usable for i in range(device_count()))


def device_count() -> int:
    """NPUs that XRT shows: those that "npu:0", "npu:1" name."""
    return len(_engine.xrt_devices()[0])


def device_info(i: int = 0) -> DeviceInfo:
    devices, problem = _engine.xrt_devices()
    if not 0 <= i < len(devices):
        raise DeviceError(f"npu:{i}: expected one of {len(devices)} NPUs, found none of that number"
                          + (f" ({problem})" if problem else ""))
    device = devices[i]
    nodes = [node for node in _engine.npu_nodes() if node.bdf == device.bdf and node.bdf]
    node = nodes[0] if nodes else None
    return DeviceInfo(
        name=device.name,
        pci_address=device.bdf,
        firmware=device.firmware,
        power_mode=device.power_mode,
        columns=device.columns,
        usable=node is None or node.usable,
        reason=node.reason if node else "",
        remedy=node.remedy if node else "",
    )


def problems() -> List[str]:
    """Why there is no NPU, or why one cannot be used; nothing where all can."""
    devices, problem = _engine.xrt_devices()
    found = [f"{node.name}: {node.reason}" for node in _engine.npu_nodes() if not node.usable]
    return found if devices or not problem else [problem, *found]


class Handle:
    """An operation that was handed in: it is done beside the caller."""

    def __init__(self, handle: "_engine.TensorHandle"):
        self._handle = handle

    def ready(self) -> bool:
        return self._handle.ready()

    def result(self) -> "np.ndarray":
        """Waits. A read-only array. Raises what went wrong, which names the call and its sizes."""
        self._handle.wait()
        return self._handle.value()

    @property
    def report(self) -> Dict[str, Any]:
        """How the result came about, with the names of `whisper-npu npu compute --json`. Waits."""
        self._handle.wait()
        return self._handle.report()


class Device:
    """Tensor operations on an NPU, or on the simulator, which computes what an NPU would and models its time.

    Operations are done in the order in which they are handed in. Bits depend on the operands alone. Arrays are taken
    as float32; each method gives a `Handle` with `wait=False`, else an array.
    """

    def __init__(self, device: Union[int, str] = 0, *, xclbin: str = "", preset: str = "", threads: int = 0):
        """`device`: the number of an NPU, or "npu", "npu:1", "sim". `preset` and `threads` are of the simulator."""
        name = f"npu:{device}" if isinstance(device, int) else device
        self._device = _engine.TensorDevice(name, xclbin, preset, threads)

    @property
    def description(self) -> str:
        return self._device.description

    @property
    def is_simulated(self) -> bool:
        return self._device.is_simulated

    def set_memory_limit(self, bytes: Optional[int]) -> None:
        """Of buffers on the device, for what is handed in from now on: it is cut into calls that take no more, or
        refused with the least limit that would do."""
        self._device.set_memory_limit(bytes)

    def matmul(self, a: Any, b: Any, type: str = "bf16", *, wait: bool = True) -> Any:
        """[m, k] x [k, n]; `type`: what the array takes operands in, "bf16", "int8" or "int16"."""
        return _given(self._device.matmul(_operand(a), _operand(b), type), wait)

    def softmax(self, x: Any, *, wait: bool = True) -> Any:
        """Of each row."""
        return _given(self._device.softmax(_operand(x)), wait)

    def layer_norm(self, x: Any, *, wait: bool = True) -> Any:
        """Each row to mean 0 and variance 1."""
        return _given(self._device.layer_norm(_operand(x)), wait)

    def gelu(self, x: Any, *, wait: bool = True) -> Any:
        """Of each value."""
        return _given(self._device.gelu(_operand(x)), wait)

    def attention(self, q: Any, k: Any, v: Any, scale: Optional[float] = None, *, wait: bool = True) -> Any:
        """softmax(scale q k^T) v of [queries, width], [keys, width], [keys, width], or each with heads in front;
        `scale`: 1 / sqrt(width) where it is None."""
        return _given(self._device.attention(_operand(q), _operand(k), _operand(v), scale), wait)


def _operand(x: Any) -> "np.ndarray":
    return np.ascontiguousarray(x, dtype=np.float32)


def _given(handle: "_engine.TensorHandle", wait: bool) -> Any:
    return Handle(handle).result() if wait else Handle(handle)
