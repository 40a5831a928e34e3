#include "models/files/safetensors_reader.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "models/base/error.h"
#include "models/base/json_file.h"
#include "models/base/mapped_file.h"
#include "models/files/byte_cursor.h"
#include "models/files/tensor_layout.h"

namespace wnpu::models {
namespace {

using nlohmann::json;

// The header of large-v3 has 150 KB. The format's own limit is 100 MB.
constexpr std::size_t kMaxHeader = std::size_t{4} << 20U;

std::optional<DType> header_dtype(const json& name) {
  if (name == "F32") return DType::f32;
  if (name == "F16") return DType::f16;
  if (name == "BF16") return DType::bf16;
  return std::nullopt;
}

class Header {
 public:
  Header(std::span<const std::byte> values, const std::string& path)
      : values_(values), path_(path) {}

  void add(const std::string& name, const json& entry) {
    if (!entry.is_object()) fail(name, "dtype, shape and data_offsets", entry.dump());
    TensorView view;
    const json type = entry.value("dtype", json());
    const auto dtype = header_dtype(type);
    if (!dtype) fail(name, "dtype F32, F16 or BF16", type.dump());
    view.dtype = *dtype;
    view.shape = sizes(name, entry, "shape");
    if (view.shape.size() > kMaxRank) fail(name, "at most 3 extents", shape_text(view.shape));
    const auto offsets = sizes(name, entry, "data_offsets");
    if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > values_.size()) {
      fail(name, "data_offsets within " + std::to_string(values_.size()) + " bytes",
           shape_text(offsets));
    }
    const std::size_t bytes = offsets[1] - offsets[0];
    if (storage_bytes(*dtype, view.shape) != bytes) {
      fail(name, shape_text(view.shape) + " of " + type.dump(), std::to_string(bytes) + " bytes");
    }
    view.bytes = values_.subspan(offsets[0], bytes);
    view.is_mapped = true;
    ranges_.emplace_back(offsets[0], offsets[1]);
    tensors_.emplace(name, std::move(view));
  }

  std::map<std::string, TensorView> finish() {
    std::ranges::sort(ranges_);
    std::size_t end = 0;
    for (const auto& [from, to] : ranges_) {
      if (from != end) fail_ranges(end, from);
      end = to;
    }
    if (end != values_.size()) fail_ranges(end, values_.size());
    return std::move(tensors_);
  }

 private:
  [[noreturn]] void fail(const std::string& name, const std::string& expected,
                         const std::string& found) const {
    throw ModelError(path_ + ": " + name + ": expected " + expected + ", found " +
                     found.substr(0, 60));
  }

  [[noreturn]] void fail_ranges(std::size_t end, std::size_t next) const {
    fail("data_offsets", "values one after another, the next at " + std::to_string(end),
         std::to_string(next));
  }

  std::vector<std::size_t> sizes(const std::string& name, const json& entry,
                                 const std::string& key) const {
    const json list = entry.value(key, json());
    if (!list.is_array() || list.size() > kMaxRank + 1) fail(name, key + " as a list", list.dump());
    std::vector<std::size_t> values;
    for (const json& value : list) {
      if (!value.is_number_unsigned()) fail(name, key + " as numbers", list.dump());
      values.push_back(value.get<std::size_t>());
    }
    return values;
  }

  std::span<const std::byte> values_;
  std::string path_;
  std::map<std::string, TensorView> tensors_;
  std::vector<std::pair<std::size_t, std::size_t>> ranges_;  // in values_: [from, to)
};

}  // namespace

std::map<std::string, TensorView> read_safetensors(std::span<const std::byte> file,
                                                   const std::string& path) {
  ByteCursor cursor(file, path);
  const auto length = cursor.read<std::uint64_t>("length of the header");
  if (length > kMaxHeader) {
    throw ModelError(path + ": header: expected at most " + std::to_string(kMaxHeader) +
                     " bytes, found " + std::to_string(length));
  }
  const auto text = as_text(cursor.take(static_cast<std::size_t>(length), "header"));
  const json parsed = parse_json(text, path);
  if (!parsed.is_object()) throw ModelError(path + ": header: expected an object, found another");
  Header header(cursor.take(cursor.remaining(), "values"), path);
  for (const auto& [name, entry] : parsed.items()) {
    if (name != "__metadata__") header.add(name, entry);
  }
  return header.finish();
}

}  // namespace wnpu::models
