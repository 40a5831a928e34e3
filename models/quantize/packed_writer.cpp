#include "models/quantize/packed_writer.h"

#include <array>
#include <cassert>
#include <cstring>

#include <zlib.h>

#include "models/base/dims.h"
#include "models/base/mapped_file.h"
#include "models/files/packed_format.h"

namespace wnpu::models {
namespace {

nlohmann::json json_of(const Dims& dims) {
  nlohmann::json named;
  for (const DimName& dim : kDimNames) named[dim.name] = dims.*dim.extent;
  return named;
}

template <std::size_t kSize, typename T>
void put(std::array<std::byte, kSize>& bytes, std::size_t at, const T& value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

template <std::size_t kSize>
void put_magic(std::array<std::byte, kSize>& bytes, std::size_t at) {
  std::memcpy(bytes.data() + at, kPackedMagic.data(), kPackedMagic.size());
}

}  // namespace

std::uint32_t checksum(std::span<const std::byte> bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

PackedWriter::PackedWriter(const Sink& sink, const ModelFile& source, const PackedOrigin& origin)
    : sink_(sink), packing_(origin.packing) {
  std::array<std::byte, kPackedHead> head{};
  put_magic(head, 0);
  put(head, kPackedMagic.size(), kPackedVersion);
  write(head);
  const ModelConfig& config = source.config();
  index_ = {{"made_by", origin.made_by},
            {"build", origin.packing.build},
            {"instructions", origin.packing.instructions},
            {"precisions", origin.precisions},
            {"source_format", origin.source_format},
            {"source_sha256", origin.source_sha256},
            {"dims", json_of(source.dims())},
            {"suppress_tokens", config.suppress_tokens},
            {"suppress_tokens_begin", config.suppress_tokens_begin},
            {"alignment_heads", config.alignment_heads},
            {"tensors", nlohmann::json::array()},
            {"operands", nlohmann::json::array()}};
  add_tensors(source);
  add_tokens(source.token_bytes());
}

void PackedWriter::write(std::span<const std::byte> bytes) {
  sink_(as_text(bytes));
  offset_ += bytes.size();
}

nlohmann::json PackedWriter::section(std::span<const std::byte> bytes) {
  static constexpr std::array<std::byte, kPackedAlignment> kZeros{};
  const std::size_t rest = offset_ % kPackedAlignment;
  if (rest != 0) write(std::span(kZeros).first(kPackedAlignment - rest));
  const std::uint64_t at = offset_;
  write(bytes);
  return {at, bytes.size(), checksum(bytes)};
}

void PackedWriter::add_tensors(const ModelFile& source) {
  for (const auto& [name, tensor] : source.tensors()) {
    nlohmann::json entry = {{"name", name},
                            {"type", dtype_name(tensor.dtype)},
                            {"shape", tensor.shape},
                            {"bytes", section(tensor.bytes)}};
    if (!tensor.row_scales.empty()) entry["scales"] = section(std::as_bytes(tensor.row_scales));
    index_["tensors"].push_back(std::move(entry));
  }
}

void PackedWriter::add_tokens(const std::vector<std::string>& tokens) {
  std::string bytes;
  for (const std::string& token : tokens) {
    const auto size = static_cast<std::uint16_t>(token.size());
    assert(size == token.size());
    bytes.append(reinterpret_cast<const char*>(&size), sizeof size).append(token);
  }
  index_["tokens"] = section(std::as_bytes(std::span(bytes)));
}

void PackedWriter::keep(const std::string& key, const PackedOperand& made) {
  if (!kept_.insert(key).second) return;
  std::vector<float> numbers;
  for (const auto& part : {made.scales, made.sums, made.centre, made.balance})
    numbers.insert(numbers.end(), part.begin(), part.end());
  const auto panels = section(made.panels);
  index_["operands"].push_back(
      {{"key", key},
       {"number", made.number},
       {"k", made.k},
       {"n", made.n},
       {"panel_cols", made.panel_cols},
       {"left_limit", made.left_limit},
       {"panels", panels},
       {"numbers", section(std::as_bytes(std::span(numbers)))},
       {"counts",
        {made.scales.size(), made.sums.size(), made.centre.size(), made.balance.size()}}});
}

void PackedWriter::finish() {
  const std::string text = index_.dump();
  const auto bytes = std::as_bytes(std::span(text));
  const std::uint64_t at = offset_;
  write(bytes);
  std::array<std::byte, kPackedTail> tail{};
  put(tail, 0, at);
  put(tail, 8, std::uint64_t{text.size()});
  put(tail, 16, checksum(bytes));
  put_magic(tail, kPackedTail - kPackedMagic.size());
  write(tail);
}

}  // namespace wnpu::models
