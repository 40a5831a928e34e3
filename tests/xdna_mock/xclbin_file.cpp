#include "tests/xdna_mock/xclbin_file.h"

#include <algorithm>
#include <concepts>
#include <utility>
#include <vector>

namespace wnpu::tests {
namespace {

// Layouts: struct axlf, mem_topology, ip_layout, connectivity, aie_partition of XRT's public header
// xclbin.h (XRT 2.25; aie_partition is not in 2.13). All fields are little-endian.
enum SectionKind : std::uint32_t {
  kEmbeddedMetadata = 2,
  kMemTopology = 6,
  kConnectivity = 7,
  kIpLayout = 8,
  kAiePartition = 32,
};
constexpr std::size_t kHeaderBytes = 456;  // axlf without its first section header
constexpr std::size_t kSectionHeaderBytes = 40;
constexpr std::uint64_t kKernelId = 0x901;  // as aiecc numbers the first DPU kernel

class Bytes {
 public:
  template <std::integral Integer>
  Bytes& put(Integer value) {
    for (std::size_t i = 0; i < sizeof(Integer); ++i) {
      text_.push_back(static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i) & 0xff));
    }
    return *this;
  }
  Bytes& put(std::string_view bytes) {
    text_ += bytes;
    return *this;
  }
  // A char array of `bytes` bytes, padded with zeros.
  Bytes& field(std::string_view value, std::size_t bytes) {
    text_ += value.substr(0, bytes);
    return fill(bytes - std::min(value.size(), bytes));
  }
  Bytes& fill(std::size_t bytes, char value = 0) {
    text_.append(bytes, value);
    return *this;
  }
  Bytes& align(std::size_t bytes) { return fill((bytes - text_.size() % bytes) % bytes); }
  std::size_t size() const { return text_.size(); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Two banks as aiecc declares them: host memory for the data, device heap for the instructions.
std::string mem_topology() {
  static constexpr std::uint8_t kMemDram = 2;
  const auto bank = [](Bytes& out, std::uint64_t size_kb, std::string_view tag) {
    out.put(kMemDram).put(std::uint8_t{1}).fill(6).put(size_kb);
    out.put(std::uint64_t{0x4000000}).field(tag, 16);
  };
  Bytes out;
  out.put(std::uint32_t{2}).fill(4);
  bank(out, 0x10000, "HOST");
  bank(out, 0xc000, "SRAM");
  return out.text();
}

std::string ip_layout(const XclbinContent& content) {
  static constexpr std::uint32_t kIpPsKernel = 7;
  static constexpr std::uint8_t kSubtypeDpu = 1;
  Bytes out;
  out.put(std::uint32_t{1}).fill(4).put(kIpPsKernel);
  out.put(kSubtypeDpu).put(std::uint8_t{0}).put(static_cast<std::uint16_t>(kKernelId));
  out.put(~std::uint64_t{0});  // no base address
  out.field(std::string(content.kernel) + ":MLIRAIE", 64);
  return out.text();
}

std::string connectivity(const XclbinContent& content) {
  const auto connect = [](Bytes& out, std::size_t argument, std::uint32_t bank) {
    out.put(static_cast<std::uint32_t>(argument)).put(std::uint32_t{0}).put(bank);
  };
  Bytes out;
  out.put(static_cast<std::uint32_t>(1 + content.n_buffers));
  connect(out, 1, 1);  // instructions: SRAM
  for (std::size_t i = 0; i < content.n_buffers; ++i) connect(out, 3 + i, 0);
  return out.text();
}

std::string hex(std::size_t value) {
  std::string digits;
  for (; value != 0 || digits.empty(); value /= 16) {
    digits.insert(digits.begin(), "0123456789abcdef"[value % 16]);
  }
  return "0x" + digits;
}

// Register map of aiecc: opcode u64 at 0x00, instructions at 0x08, their count u32 at 0x10, then
// the buffers' addresses from 0x14, 8 bytes each and not aligned.
std::string embedded_metadata(const XclbinContent& content) {
  std::string arguments;
  std::size_t id = 0;
  const auto argument = [&](std::string_view name, std::string_view type, std::size_t bytes,
                            std::size_t offset) {
    const bool global = type.back() == '*';
    arguments += "<arg name=\"" + std::string(name) + "\" addressQualifier=\"" +
                 (global ? "1" : "0") + "\" id=\"" + std::to_string(id++) + "\" size=\"" +
                 hex(bytes) + "\" offset=\"" + hex(offset) + "\" hostOffset=\"0x0\" hostSize=\"" +
                 hex(bytes) + "\" type=\"" + std::string(type) + "\"/>";
  };
  argument("opcode", "uint64_t", 8, 0x00);
  argument("instr", "char *", 8, 0x08);
  argument("ninstr", "uint32_t", 4, 0x10);
  for (std::size_t i = 0; i < content.n_buffers; ++i) {
    argument("bo" + std::to_string(i), "void*", 8, 0x14 + 8 * i);
  }
  return "<?xml version=\"1.0\" encoding=\"utf-8\"?><project><platform><device><core>"
         "<kernel name=\"" +
         std::string(content.kernel) +
         "\" language=\"c\" type=\"dpu\"><extended-data subtype=\"1\" functional=\"0\" "
         "dpu_kernel_id=\"" +
         hex(kKernelId) + "\"/>" + arguments +
         "<instance name=\"MLIRAIE\"/></kernel></core></device></platform></project>";
}

// One partition with one PDI with one group of configuration objects. Offsets count from the start
// of the section; what they point to follows the fixed structs.
std::string aie_partition(const XclbinContent& content) {
  static constexpr std::size_t kPartitionBytes = 184;
  static constexpr std::size_t kPdiBytes = 96;
  static constexpr std::size_t kGroupBytes = 96;
  static constexpr std::size_t kHeap = kPartitionBytes + kPdiBytes + kGroupBytes;
  static constexpr std::uint8_t kPrimary = 1;
  Bytes heap;
  const auto place = [&heap](std::string_view bytes) {
    heap.align(8).put(bytes);
    return static_cast<std::uint32_t>(kHeap + heap.size() - bytes.size());
  };
  const std::uint32_t name = place(std::string_view("QoS\0", 4));
  const std::uint32_t columns = place(Bytes().put(content.start_column).text());
  const std::uint32_t image = place(content.pdi);
  const std::uint32_t group_name = place(std::string_view("DPU\0", 4));
  const std::uint32_t kernel_ids = place(Bytes().put(kKernelId).text());
  const std::uint32_t pre_groups = place(Bytes().put(std::uint64_t{0xc1}).text());
  const std::uint32_t one = 1;

  Bytes out;
  out.fill(4).put(name).put(std::uint32_t{2048}).fill(4);
  out.put(std::uint64_t{23423}).put(std::uint64_t{12345});  // fingerprints; nobody compares them
  out.put(content.columns).fill(6).put(one).put(columns).fill(72);
  out.put(one).put(static_cast<std::uint32_t>(kPartitionBytes)).fill(4 + 52);
  // aie_pdi: uuid, image, groups
  out.field("wnpu stand-in", 16).put(static_cast<std::uint32_t>(content.pdi.size())).put(image);
  out.put(one).put(static_cast<std::uint32_t>(kPartitionBytes + kPdiBytes)).fill(64);
  // cdo_group
  out.put(group_name).put(kPrimary).fill(3).put(std::uint64_t{1});
  out.put(one).put(kernel_ids).put(one).put(pre_groups).fill(64);
  return out.put(heap.text()).text();
}

// struct axlf up to its section headers.
Bytes header(std::size_t total_bytes, std::size_t n_sections) {
  Bytes out;
  out.field("xclbin2", 8).put(std::int32_t{-1}).fill(28, '\xff').fill(256).fill(8);
  out.put(static_cast<std::uint64_t>(total_bytes)).fill(16);             // no time stamps
  out.put(std::uint16_t{0}).put(std::uint8_t{2}).put(std::uint8_t{25});  // version 2.25
  out.fill(4 + 16 + 64);                                                 // mode, ROM uuid, VBNV
  out.field("wnpu-test-xclbin", 16).fill(16);                            // uuid, debug file
  return out.put(static_cast<std::uint32_t>(n_sections)).fill(4);
}

}  // namespace

std::string make_xclbin(const XclbinContent& content) {
  std::vector<std::pair<SectionKind, std::string>> sections = {
      {kMemTopology, mem_topology()},
      {kEmbeddedMetadata, embedded_metadata(content)},
      {kIpLayout, ip_layout(content)},
      {kConnectivity, connectivity(content)}};
  if (content.with_partition) sections.emplace_back(kAiePartition, aie_partition(content));

  const std::size_t first = kHeaderBytes + kSectionHeaderBytes * sections.size();
  Bytes headers;
  Bytes bodies;
  for (const auto& [kind, body] : sections) {
    bodies.align(8);
    headers.put(static_cast<std::uint32_t>(kind)).fill(16 + 4);
    headers.put(static_cast<std::uint64_t>(first + bodies.size()));
    headers.put(static_cast<std::uint64_t>(body.size()));
    bodies.put(body);
  }
  Bytes out = header(first + bodies.size(), sections.size());
  return out.put(headers.text()).put(bodies.text()).text();
}

}  // namespace wnpu::tests
