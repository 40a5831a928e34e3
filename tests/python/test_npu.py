"""What the package says of NPUs is what the machine has, and what the program says."""
import json
import subprocess

import pytest

from whisper_npu import _engine, npu
from whisper_npu.errors import DeviceError


def test_as_the_program(program):
    listed = json.loads(subprocess.run([program, "devices", "--json"], check=True, capture_output=True).stdout)
    named = [device for device in listed["devices"] if device["name"].startswith("npu:")]
    assert npu.device_count() == len(named)
    assert npu.is_available() == any(device["usable"] for device in named)
    assert npu.xrt_version() == listed["xrt"]
    assert npu.is_available() or npu.problems()


def test_no_such_device():
    with pytest.raises(DeviceError, match="expected one of"):
        npu.device_info(npu.device_count())
    with pytest.raises(DeviceError):
        npu.device_info(-1)


def test_nodes_of_a_machine(tmp_path):
    """A node of the driver that is there, below another root."""
    assert not [node for node in _engine.npu_nodes(str(tmp_path)) if node.usable]
    assert _engine.npu_nodes(str(tmp_path))[0].reason
