#include "npu/xrt/xrt_hints.h"

#include <doctest/doctest.h>

using wnpu::npu::error_text;
using wnpu::npu::hint_for;

TEST_CASE("xrt_hints: XRT's message becomes device, call, cause and hint") {
  CHECK(error_text("npu 0000:c4:00.1", "open",
                   "Open /dev/accel/accel0 failed (err=-13): Permission denied\n") ==
        "npu 0000:c4:00.1: open: Open /dev/accel/accel0 failed (err=-13): Permission denied (hint: "
        "add this user to the group render)");
  CHECK(error_text("npu", "run 3 (layer)", " something new") ==
        "npu: run 3 (layer): something new");
}

TEST_CASE("xrt_hints: the known refusals have a hint each, and only they") {
  CHECK(hint_for("DRM_IOCTL_AMDXDNA_CREATE_HWCTX IOCTL failed (err=-22)").find("contexts") !=
        std::string::npos);
  CHECK(hint_for("No valid DPU kernel found in xclbin").find("AIE partition") != std::string::npos);
  CHECK(hint_for("XILINX_XRT not set").find("2.18") != std::string::npos);
  CHECK(hint_for("mmap(addr=0, len=4096) failed (err=-12): Cannot allocate memory").empty());
  CHECK(hint_for("it broke").empty());
}

TEST_CASE("xrt_hints: without a device the probe's reason is the hint") {
  CHECK_FALSE(hint_for(" No such device with index '0'").empty());
}
