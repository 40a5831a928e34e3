#include "tests/nano/nano_pytorch.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <stdexcept>

#include <zlib.h>

#include "tests/nano/nano_codec.h"
#include "tests/nano/nano_safetensors.h"

namespace wnpu::tests {
namespace {

using models::DType;

std::string u16(std::size_t value) { return bytes_of(static_cast<std::uint16_t>(value)); }
std::string u32(std::size_t value) { return bytes_of(static_cast<std::uint32_t>(value)); }
std::string u64(std::size_t value) { return bytes_of(static_cast<std::uint64_t>(value)); }

std::string text(const std::string& value) { return "X" + u32(value.size()) + value; }

std::string integer(std::size_t value) {
  if (value < 256) return "K" + std::string(1, static_cast<char>(value));
  return value < 65536 ? "M" + u16(value) : "J" + u32(value);
}

std::string tuple(const std::vector<std::size_t>& values) {
  std::string bytes = "(";
  for (const std::size_t value : values) bytes += integer(value);
  return bytes + "t";
}

std::vector<std::size_t> strides_of(const std::vector<std::size_t>& shape) {
  std::vector<std::size_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i > 1; --i) strides[i - 2] = strides[i - 1] * shape[i - 1];
  return strides;
}

std::string storage_name(DType dtype) {
  if (dtype == DType::f32) return "FloatStorage";
  return dtype == DType::f16 ? "HalfStorage" : "BFloat16Storage";
}

std::string tensor(const NanoTensor& value, const std::string& key, std::size_t n_stored,
                   const PtSpec& spec) {
  std::string bytes = "ctorch._utils\n_rebuild_tensor_v2\n((" + text("storage") + "ctorch\n" +
                      storage_name(spec.dtype) + "\n" + text(key) + text("cpu") +
                      integer(n_stored) + "tQ";
  bytes += integer(0) + tuple(value.shape) + tuple(strides_of(value.shape));
  bytes += "\x89";
  bytes += "ccollections\nOrderedDict\n)RtR";
  if (!spec.is_parameter) return bytes;
  return "ctorch._utils\n_rebuild_parameter\n(" + bytes + "\x88" +
         "ccollections\nOrderedDict\n)RtR";
}

std::string dims_pickle(const models::Dims& dims) {
  std::string bytes = "}q\x01(";
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::size_t>>{{"n_mels", dims.n_mels},
                                                        {"n_vocab", dims.n_vocab},
                                                        {"n_audio_ctx", dims.n_audio_ctx},
                                                        {"n_audio_state", dims.n_audio_state},
                                                        {"n_audio_head", dims.n_audio_head},
                                                        {"n_audio_layer", dims.n_audio_layer},
                                                        {"n_text_ctx", dims.n_text_ctx},
                                                        {"n_text_state", dims.n_text_state},
                                                        {"n_text_head", dims.n_text_head},
                                                        {"n_text_layer", dims.n_text_layer}}) {
    bytes += text(name) + integer(value);
  }
  return bytes + "u";
}

std::uint32_t crc32_of(const std::string& bytes) {
  return static_cast<std::uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace

std::string& PtModel::at(const std::string& name) {
  const auto found = std::ranges::find(members, name, &std::pair<std::string, std::string>::first);
  if (found == members.end()) throw std::out_of_range("no member " + name);
  return found->second;
}

PtModel to_pytorch(const NanoModel& model, const PtSpec& spec) {
  PtModel out;
  out.members.emplace_back("data.pkl", "");
  std::string pickle = std::string("\x80\x02}q\0(", 6) + text("dims") + dims_pickle(model.dims);
  pickle += text("model_state_dict");
  pickle += spec.is_ordered_dict ? "ccollections\nOrderedDict\n)R(" : "}(";
  const auto size_of = [](const auto& named) { return named.second.values.size(); };
  const auto& largest = std::ranges::max_element(model.tensors, {}, size_of)->second.values;
  std::size_t number = 0;
  for (const auto& [name, value] : model.tensors) {
    const auto& stored = spec.is_shared ? largest : value.values;
    const std::string key = std::to_string(spec.is_shared ? 0 : number);
    pickle += text(name) + tensor(value, key, stored.size(), spec);
    if (key == std::to_string(number)) {
      out.members.emplace_back("data/" + key, encode(spec.dtype, stored));
    }
    ++number;
  }
  pickle += "u";
  if (spec.is_ordered_dict) pickle += "}" + text("_metadata") + "}sb";
  out.at("data.pkl") = pickle + "u.";
  out.members.emplace_back("byteorder", "little");
  out.members.emplace_back("version", "3\n");
  return out;
}

std::string zip_bytes(const PtModel& model, bool zip64) {
  std::string file;
  std::string directory;
  for (const auto& [below, bytes] : model.members) {
    const std::string name = "archive/" + below;
    const std::size_t offset = file.size();
    const std::string crc = bytes_of(crc32_of(bytes));
    const std::string sizes = u32(bytes.size()) + u32(bytes.size());
    // Padded to 64 bytes, as torch does for what it maps.
    const std::size_t begin = offset + 30 + name.size() + 4;
    const std::size_t padding = (64 - begin % 64) % 64;
    file += "PK\x03\x04" + u16(0) + u16(0) + u16(0) + u32(0) + crc + sizes + u16(name.size()) +
            u16(4 + padding) + name + "FB" + u16(padding) + std::string(padding, 'Z') + bytes;
    const std::string extra =
        zip64 ? u16(1) + u16(24) + u64(bytes.size()) + u64(bytes.size()) + u64(offset) : "";
    const std::string all = u32(0xFFFFFFFF);
    directory += "PK\x01\x02" + u16(0) + u16(0) + u16(0) + u16(0) + u32(0) + crc +
                 (zip64 ? all + all : sizes) + u16(name.size()) + u16(extra.size()) + u16(0) +
                 u16(0) + u16(0) + u32(0) + (zip64 ? all : u32(offset)) + name + extra;
  }
  const std::size_t begin = file.size();
  const std::size_t count = model.members.size();
  file += directory;
  if (zip64) {
    const std::size_t end = file.size();
    file += "PK\x06\x06" + u64(44) + u16(45) + u16(45) + u32(0) + u32(0) + u64(count) + u64(count) +
            u64(directory.size()) + u64(begin);
    file += "PK\x06\x07" + u32(0) + u64(end) + u32(1);
  }
  file += "PK\x05\x06" + u16(0) + u16(0) + u16(count) + u16(count) + u32(directory.size()) +
          u32(zip64 ? 0xFFFFFFFF : begin) + u16(0);
  return file;
}

void write(const PtModel& model, const NanoModel& nano, const std::filesystem::path& file) {
  std::ofstream(file, std::ios::binary) << zip_bytes(model);
  std::ofstream(file.parent_path() / "vocab.json") << token_ids_json(nano.token_bytes);
}

}  // namespace wnpu::tests
