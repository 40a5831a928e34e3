// An XCLBIN container as an MLIR-AIE build makes it, but with a PDI that is only a text: XRT parses
// and registers it, the stand-in for the driver runs it, a real NPU refuses it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace wnpu::tests {

struct XclbinContent {
  std::string_view kernel = "MLIR_AIE";  // name of the kernel; its instance is "MLIRAIE"
  std::size_t n_buffers = 5;             // bo0, bo1, ...: arguments 3, 4, ...
  std::string_view pdi = "stand-in PDI: no configuration for a real array";
  std::uint16_t columns = 4;
  std::uint16_t start_column = 1;
  bool with_partition = true;  // false: no AIE_PARTITION, which XRT on an NPU must refuse
};

// The bytes of the container.
std::string make_xclbin(const XclbinContent& content);

}  // namespace wnpu::tests
