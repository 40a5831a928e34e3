#include "models/files/packed_file.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "models/base/dims.h"
#include "models/base/error.h"
#include "models/base/json_file.h"
#include "models/base/mapped_file.h"
#include "models/files/byte_cursor.h"
#include "models/files/operand_store.h"
#include "models/files/packed_format.h"
#include "models/files/tensor_layout.h"

namespace wnpu::models {
namespace {

using nlohmann::json;

struct Section {
  std::string name;
  std::span<const std::byte> bytes;
  std::uint32_t checksum;
};

// Operands of a file. Nothing is kept that is not there.
class MappedOperands final : public OperandStore {
 public:
  const Packing& packing() const override { return of; }
  const PackedOperand* find(const std::string& key) const override {
    const auto found = operands.find(key);
    return found == operands.end() ? nullptr : &found->second;
  }
  void keep(const std::string& /*key*/, const PackedOperand& /*made*/) override {}

  Packing of;
  std::map<std::string, PackedOperand> operands;
};

class PackedFile final : public ModelFile {
 public:
  enum class Reads { origin, all };
  explicit PackedFile(const std::filesystem::path& path, Reads reads = Reads::all) : file_(path) {
    path_ = path.string();
    format_ = kPacked;
    const json index = read_index();
    read_origin(index);
    if (reads == Reads::origin) return;
    read_config(index);
    read_tokens(index);
    for (const json& entry : list(index, "tensors")) read_tensor(entry);
    check_tensors(path_);
    for (const json& entry : list(index, "operands")) read_operand(entry);
    use_operands(&operands_);
  }

  const PackedOrigin* origin() const override { return &origin_; }
  const std::vector<Section>& sections() const { return sections_; }

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& expected,
                         const std::string& found) const {
    throw ModelError(path_ + ": " + what.substr(0, 200) + ": expected " + expected + ", found " +
                     found);
  }

  template <typename T>
  T number_at(std::size_t offset) const {
    T value = {};
    std::memcpy(&value, file_.bytes().data() + offset, sizeof value);
    return value;
  }

  json read_index() {
    const std::size_t size = file_.bytes().size();
    if (size < kPackedHead + kPackedTail) fail("file", "a head and a tail", "too few bytes");
    if (!is_packed(as_text(file_.bytes()))) fail("head", std::string(kPackedMagic), "other bytes");
    const auto version = number_at<std::uint32_t>(kPackedMagic.size());
    if (version != kPackedVersion) {
      fail("version", std::to_string(kPackedVersion), std::to_string(version));
    }
    const std::size_t tail = size - kPackedTail;
    if (!as_text(file_.bytes()).ends_with(kPackedMagic)) {
      fail("tail", std::string(kPackedMagic), "other bytes: the file was cut, or went on");
    }
    const auto at = number_at<std::uint64_t>(tail);
    const auto length = number_at<std::uint64_t>(tail + 8);
    if (at < kPackedHead || at > tail || length != tail - at) {
      fail("tail", "an index that ends before it", "another place");
    }
    check_json_size(length, kMaxPackedIndex, path_);
    const auto bytes = file_.bytes().subspan(at, length);
    if (checksum(bytes) != number_at<std::uint32_t>(tail + 16)) {
      fail("index", "its checksum", "another: the file is damaged");
    }
    index_at_ = at;
    json index = parse_json(as_text(bytes), path_);
    if (!index.is_object()) fail("index", "an object", index.type_name());
    return index;
  }

  const json& at(const json& object, const char* key) const {
    if (!object.is_object() || !object.contains(key)) fail("index", key, "none");
    return object[key];
  }
  const json& list(const json& object, const char* key) const {
    const json& found = at(object, key);
    if (!found.is_array()) fail(key, "a list", found.type_name());
    return found;
  }
  std::string text(const json& object, const char* key) const {
    const json& found = at(object, key);
    if (!found.is_string()) fail(key, "a text", found.type_name());
    return found.get<std::string>();
  }
  std::vector<std::size_t> numbers(const json& object, const char* key) const {
    std::vector<std::size_t> values;
    for (const json& value : list(object, key)) {
      if (!value.is_number_unsigned()) fail(key, "numbers", value.type_name());
      values.push_back(value.get<std::size_t>());
    }
    return values;
  }

  // The bytes at a place: offset, size, checksum.
  std::span<const std::byte> section(const json& object, const char* key, const std::string& name) {
    const std::vector<std::size_t> place = numbers(object, key);
    if (place.size() != 3) fail(name, "offset, size and checksum", std::to_string(place.size()));
    const auto [offset, size, sum] = std::tie(place[0], place[1], place[2]);
    if (offset % kPackedAlignment != 0 || offset < kPackedHead || offset > index_at_ ||
        size > index_at_ - offset) {
      fail(name, "a section within the file",
           std::to_string(size) + " bytes at " + std::to_string(offset));
    }
    n_section_bytes_ += size;
    if (n_section_bytes_ > index_at_) fail(name, "sections apart", "some that share bytes");
    sections_.push_back(
        {name, file_.bytes().subspan(offset, size), static_cast<std::uint32_t>(sum)});
    return sections_.back().bytes;
  }
  std::span<const float> floats(const json& object, const char* key, const std::string& name) {
    const auto bytes = section(object, key, name);
    if (bytes.size() % sizeof(float) != 0) fail(name, "numbers", "a part of one");
    return {reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float)};
  }

  void read_origin(const json& index) {
    origin_.made_by = text(index, "made_by");
    origin_.packing = {text(index, "build"), text(index, "instructions")};
    for (const json& name : list(index, "precisions")) {
      if (!name.is_string()) fail("precisions", "names", name.type_name());
      origin_.precisions.push_back(name.get<std::string>());
    }
    origin_.source_format = text(index, "source_format");
    origin_.source_sha256 = text(index, "source_sha256");
    const bool is_hex =
        origin_.source_sha256.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (!is_hex || (origin_.source_sha256.size() != 64 && !origin_.source_sha256.empty()))
      fail("source_sha256", "64 hex digits", "others");
    operands_.of = origin_.packing;
  }

  void read_config(const json& index) {
    const json& dims = at(index, "dims");
    for (const DimName& dim : kDimNames) {
      dims_.*dim.extent = size_at(dims, dim.name, path_);
    }
    validate(dims_, path_);
    config_.suppress_tokens = ids_at(index, "suppress_tokens", dims_.n_vocab, path_);
    config_.suppress_tokens_begin = ids_at(index, "suppress_tokens_begin", dims_.n_vocab, path_);
    config_.alignment_heads =
        pairs_at(index, "alignment_heads", {dims_.n_text_layer, dims_.n_text_head}, path_);
  }

  void read_tensor(const json& entry) {
    const std::string name = text(entry, "name");
    const std::string type = text(entry, "type");
    const auto* const known = std::ranges::find(kDTypeNames, type);
    if (known == kDTypeNames.end()) fail(name, "a type of weights", type.substr(0, 20));
    TensorView tensor;
    tensor.dtype = static_cast<DType>(known - kDTypeNames.begin());
    tensor.shape = numbers(entry, "shape");
    tensor.is_mapped = true;
    if (tensor.shape.empty() || tensor.shape.size() > kMaxRank)
      fail(name, "1 to 3 extents", "others");
    tensor.bytes = section(entry, "bytes", name);
    if (storage_bytes(tensor.dtype, tensor.shape) != tensor.bytes.size()) {
      fail(name, "the bytes of " + shape_text(tensor.shape), std::to_string(tensor.bytes.size()));
    }
    if (has_row_scales(tensor.dtype)) {
      tensor.row_scales = floats(entry, "scales", name + ", scales");
      if (tensor.row_scales.size() != tensor.shape[0]) fail(name, "a scale a row", "others");
    }
    add_tensor(name, std::move(tensor), path_);
  }

  void read_tokens(const json& index) {
    ByteCursor cursor(section(index, "tokens", "tokens"), path_);
    while (cursor.remaining() != 0) {
      const auto size = cursor.read<std::uint16_t>("a token's size");
      if (size > kMaxTokenBytes) {
        fail("token " + std::to_string(token_bytes_.size()),
             "at most " + std::to_string(kMaxTokenBytes) + " bytes", std::to_string(size));
      }
      token_bytes_.emplace_back(as_text(cursor.take(size, "a token")));
    }
  }

  void read_operand(const json& entry) {
    const std::string key = text(entry, "key");
    PackedOperand operand;
    operand.number = text(entry, "number");
    operand.k = size_at(entry, "k", path_);
    operand.n = size_at(entry, "n", path_);
    operand.panel_cols = size_at(entry, "panel_cols", path_);
    operand.panels = section(entry, "panels", key);
    std::span<const float> rest = floats(entry, "numbers", key + ", numbers");
    const json& limit = at(entry, "left_limit");
    if (!limit.is_number()) fail(key, "a limit", limit.type_name());
    operand.left_limit = limit.get<float>();
    const std::vector<std::size_t> counts = numbers(entry, "counts");
    const auto parts = {&operand.scales, &operand.sums, &operand.centre, &operand.balance};
    if (counts.size() != parts.size()) fail(key, "four counts", std::to_string(counts.size()));
    auto count = counts.begin();
    for (std::span<const float>* part : parts) {
      if (*count > rest.size()) fail(key, "as many numbers as its counts say", "fewer");
      *part = rest.first(*count);
      rest = rest.subspan(*count++);
    }
    if (!rest.empty()) fail(key, "as many numbers as its counts say", "more");
    if (!operands_.operands.emplace(key, operand).second) fail(key, "it once", "it twice");
  }

  MappedFile file_;
  std::size_t index_at_ = 0;
  std::size_t n_section_bytes_ = 0;  // of all sections so far
  PackedOrigin origin_;
  std::vector<Section> sections_;
  MappedOperands operands_;
};

}  // namespace

bool is_packed(std::string_view start) { return start.starts_with(kPackedMagic); }

std::unique_ptr<ModelFile> open_packed(const std::filesystem::path& path) {
  return std::make_unique<PackedFile>(path);
}

PackedOrigin packed_origin(const std::filesystem::path& path) {
  return *PackedFile(path, PackedFile::Reads::origin).origin();
}

std::vector<std::string> damaged_sections(const std::filesystem::path& path) {
  const PackedFile file(path);
  std::vector<std::string> damaged;
  for (const Section& section : file.sections()) {
    if (checksum(section.bytes) != section.checksum) damaged.push_back(section.name);
  }
  return damaged;
}

}  // namespace wnpu::models
