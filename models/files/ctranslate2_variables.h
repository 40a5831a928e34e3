// The variables of a CTranslate2 model.bin, by CTranslate2's names, before they get a meaning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace wnpu::models::ctranslate2 {

// Ids as in include/ctranslate2/types.h DataType.
enum class Type : std::uint8_t { f32 = 0, i8 = 1, i16 = 2, i32 = 3, f16 = 4, bf16 = 5 };

struct Variable {
  Type type = Type::f32;
  std::vector<std::size_t> shape;
  std::span<const std::byte> bytes;  // in the file
};

struct Variables {
  std::uint32_t revision = 0;  // of the WhisperSpec
  std::map<std::string, Variable> by_name;
};

// Reads all of `file`; aliases become variables of their own with the same bytes. `path` goes into
// the messages. Throws ModelError.
Variables read_variables(std::span<const std::byte> file, const std::string& path);

}  // namespace wnpu::models::ctranslate2
