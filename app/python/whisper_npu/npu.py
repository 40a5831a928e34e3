"""What NPUs there are.

Nothing here has been tried on one: whisper-npu was made without an NPU at hand (npu/README.md).
"""

from dataclasses import dataclass
from typing import List

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
