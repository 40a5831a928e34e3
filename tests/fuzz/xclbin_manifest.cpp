// An XCLBIN, its manifest and an instruction stream.
#include "npu/device.h"
#include "npu/xrt/xrt_manifest.h"
#include "tests/fuzz/input_folder.h"

namespace {

using namespace wnpu;

template <typename Read>
void read_or_refuse(Read read) {
  try {
    read();
  } catch (const npu::DeviceError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::InputFolder folder(fuzz::kTextBytes);
  folder.write(fuzz::as_text(data, size), {"npu.xclbin.json", "npu.xclbin", "stream.bin"});
  const std::filesystem::path xclbin = folder.path() / "npu.xclbin";
  read_or_refuse([&] { npu::require_container(xclbin); });
  read_or_refuse([&] {
    const npu::XrtManifest manifest = npu::read_manifest(xclbin);
    read_or_refuse([&] { npu::require_target(manifest, "npu1"); });
    read_or_refuse([&] { npu::require_overlay(manifest, "wnpu"); });
    for (const auto& stream : manifest.streams) {
      // A file anywhere else may be without an end.
      if (stream.second.parent_path() != folder.path()) continue;
      read_or_refuse([&] { npu::read_stream(manifest, stream.first); });
    }
  });
  return 0;
}
