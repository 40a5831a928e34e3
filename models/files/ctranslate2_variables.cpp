#include "models/files/ctranslate2_variables.h"

#include "models/base/error.h"
#include "models/base/mapped_file.h"
#include "models/files/byte_cursor.h"
#include "models/files/tensor_layout.h"

namespace wnpu::models::ctranslate2 {
namespace {

// Whisper came to CTranslate2 (3.0) with this binary version and it is still the newest (4.8).
constexpr std::uint32_t kBinaryVersion = 6;
// Revisions of WhisperSpec: 1 in release 3.0, 2 from 3.1, 3 from 3.5 (whisper_spec.py).
constexpr std::uint32_t kNewestRevision = 3;

std::size_t type_bytes(Type type) {
  switch (type) {
    case Type::f32:
    case Type::i32:
      return 4;
    case Type::i16:
    case Type::f16:
    case Type::bf16:
      return 2;
    case Type::i8:
      return 1;
  }
  return 0;
}

class Reader {
 public:
  Reader(std::span<const std::byte> file, const std::string& path)
      : cursor_(file, path), path_(path) {}

  Variables read() {
    read_header();
    const auto count = cursor_.read<std::uint32_t>("number of variables");
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::string name = read_string("name of variable " + std::to_string(i));
      add(name, read_variable(name));
    }
    const auto aliases = cursor_.read<std::uint32_t>("number of aliases");
    for (std::uint32_t i = 0; i < aliases; ++i) read_alias(i);
    if (cursor_.remaining() != 0) {
      fail("the end of the file", std::to_string(cursor_.offset()) + " bytes",
           std::to_string(cursor_.remaining()) + " more");
    }
    return std::move(variables_);
  }

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& expected,
                         const std::string& found) const {
    throw ModelError(path_ + ": " + what + ": expected " + expected + ", found " + found);
  }

  void read_header() {
    const auto version = cursor_.read<std::uint32_t>("binary version");
    if (version != kBinaryVersion) {
      fail("binary version", std::to_string(kBinaryVersion), std::to_string(version));
    }
    const std::string spec = read_string("spec name");
    if (spec != "WhisperSpec") fail("spec name", "WhisperSpec", spec);
    variables_.revision = cursor_.read<std::uint32_t>("revision");
    if (variables_.revision < 1 || variables_.revision > kNewestRevision) {
      fail("revision", "1 to " + std::to_string(kNewestRevision),
           std::to_string(variables_.revision));
    }
  }

  std::string read_string(const std::string& what) {
    const auto length = cursor_.read<std::uint16_t>(what);
    const std::string_view text = as_text(cursor_.take(length, what));
    // The only NUL is the one at the end.
    if (text.empty() || text.find('\0') != text.size() - 1) {
      fail(what, "a string that ends with NUL", std::to_string(length) + " other bytes");
    }
    return std::string(text.substr(0, text.size() - 1));
  }

  Variable read_variable(const std::string& name) {
    Variable variable;
    const auto rank = cursor_.read<std::uint8_t>(name);
    if (rank > kMaxRank) {
      fail(name, "at most " + std::to_string(kMaxRank) + " extents", std::to_string(rank));
    }
    for (std::size_t i = 0; i < rank; ++i) {
      variable.shape.push_back(cursor_.read<std::uint32_t>(name));
    }
    const auto type = cursor_.read<std::uint8_t>(name);
    if (type > static_cast<std::uint8_t>(Type::bf16)) {
      fail(name, "a type from 0 to 5", std::to_string(type));
    }
    variable.type = static_cast<Type>(type);
    const std::size_t bytes = cursor_.read<std::uint32_t>(name);
    const auto count = element_count(variable.shape);
    // bytes came as 32 bits, so that count * size can wrap only if the first test fails.
    if (!count || *count > bytes || *count * type_bytes(variable.type) != bytes) {
      fail(name,
           shape_text(variable.shape) + " of " + std::to_string(type_bytes(variable.type)) +
               " bytes each",
           std::to_string(bytes) + " bytes");
    }
    variable.bytes = cursor_.take(bytes, name);
    return variable;
  }

  void add(const std::string& name, Variable variable) {
    if (!variables_.by_name.emplace(name, std::move(variable)).second) {
      fail(name, "each variable once", "it twice");
    }
  }

  // The converter writes equal variables once. A quantised weight's scale goes with it.
  void read_alias(std::uint32_t index) {
    const std::string what = "alias " + std::to_string(index);
    const std::string alias = read_string(what);
    const std::string name = read_string(what);
    const auto found = variables_.by_name.find(name);
    if (found == variables_.by_name.end()) fail(alias, "a variable it stands for", name);
    add(alias, found->second);
    const auto scale = variables_.by_name.find(name + "_scale");
    if (scale != variables_.by_name.end()) {
      variables_.by_name.emplace(alias + "_scale", scale->second);
    }
  }

  ByteCursor cursor_;
  std::string path_;
  Variables variables_;
};

}  // namespace

Variables read_variables(std::span<const std::byte> file, const std::string& path) {
  return Reader(file, path).read();
}

}  // namespace wnpu::models::ctranslate2
