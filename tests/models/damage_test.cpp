// Files that broke on the way: cut anywhere, or with flipped bits. Always ModelError or a model,
// never a crash, and never more memory than the file justifies.
#include <cstdint>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <sys/resource.h>

#include <doctest/doctest.h>

#include "models/base/error.h"
#include "models/files/model_file.h"
#include "models/files/open_model.h"
#include "tests/nano/nano_codec.h"
#include "tests/nano/nano_ctranslate2.h"
#include "tests/nano/nano_ggml.h"
#include "tests/nano/nano_safetensors.h"
#include "tests/support/small_model.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/text.h"

using namespace wnpu::models;
using namespace wnpu::tests;

namespace fs = std::filesystem;

namespace {

bool is_refused(const fs::path& path) {
  try {
    open_model(path);
  } catch (const ModelError&) {
    return true;
  }
  return false;
}

constexpr std::uintmax_t kEvery = 200;  // bytes at the start, each a length to try
constexpr std::uintmax_t kSteps = 50;   // lengths to try beyond

// Cuts `file` shorter and shorter: to every length of its first and last bytes, and to some
// lengths between. `model` is what to open: the file or its directory.
void check_truncation(const fs::path& model, const fs::path& file) {
  const std::uintmax_t size = fs::file_size(file);
  const std::uintmax_t step = size / kSteps;
  std::size_t opened = 0;
  for (std::uintmax_t length = size; length > 0;) {
    const bool is_near_end = length <= kEvery || size - length < 10;
    length -= is_near_end || length < step ? 1 : step;
    fs::resize_file(file, length);
    opened += is_refused(model) ? 0 : 1;
  }
  CHECK(opened == 0);
}

// Flips the lowest, a middle and the highest bit of some bytes in turn, opens and puts the byte
// back. How many flips were refused.
std::size_t refused_flips(const fs::path& model, const fs::path& file, std::size_t first,
                          std::size_t count) {
  std::fstream bytes(file, std::ios::binary | std::ios::in | std::ios::out);
  std::size_t refused = 0;
  for (std::size_t offset = first; offset < first + count; ++offset) {
    bytes.seekg(static_cast<long>(offset));
    const auto good = static_cast<char>(bytes.get());
    for (const int bit : {0, 4, 7}) {
      bytes.seekp(static_cast<long>(offset));
      bytes.put(static_cast<char>(good ^ (1 << bit))).flush();
      refused += is_refused(model) ? 1 : 0;
    }
    bytes.seekp(static_cast<long>(offset));
    bytes.put(good).flush();
  }
  return refused;
}

std::string bytes_of_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

// Peak memory of the process so far.
long peak_kb() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

void put_bytes(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

const std::string& good_config() {
  static const std::string kConfig = to_safetensors(small_model(), DType::f16).config;
  return kConfig;
}

// A directory with a good config.json and this as model.safetensors.
std::string refusal_of_safetensors(const std::string& header, const std::string& values) {
  const TemporaryFolder dir;
  put_bytes(dir.path() / "config.json", good_config());
  put_bytes(dir.path() / "model.safetensors",
            bytes_of(static_cast<std::uint64_t>(header.size())) + header + values);
  return wnpu::tests::message_of<ModelError>([&] { open_model(dir.path()); });
}

}  // namespace

TEST_CASE("damage: a model's file cut anywhere is refused, in each format") {
  const TemporaryFolder dir;
  write(to_ctranslate2(small_model(), Ct2Quantization::int8), dir.path() / "ct2");
  write(to_ggml(small_model(), DType::q5_1), dir.path() / "ggml.bin");
  write(to_safetensors(small_model(), DType::f16), dir.path() / "st");
  for (const auto& [model, file] : {std::pair{"ct2", "ct2/model.bin"},
                                    {"ggml.bin", "ggml.bin"},
                                    {"st", "st/model.safetensors"}}) {
    const std::string name = file;
    CAPTURE(name);
    REQUIRE_FALSE(is_refused(dir.path() / model));
    check_truncation(dir.path() / model, dir.path() / file);
  }
}

TEST_CASE("damage: no flipped bit in a model.bin's headers breaks the reader") {
  const TemporaryFolder dir;
  write(to_ctranslate2(small_model(), Ct2Quantization::int8), dir.path());
  const fs::path file = dir.path() / "model.bin";
  // Version, name, revision, count, and the first variable: decoder/activation.
  CHECK(refused_flips(dir.path(), file, 0, 26 + 28) == 3 * 54);
  // Header of a matrix, before its values.
  const std::size_t name = bytes_of_file(file).find("encoder/layer_1/ffn/linear_1/weight");
  REQUIRE(name != std::string::npos);
  CHECK(refused_flips(dir.path(), file, name - 2, 2 + 36 + 1 + 8 + 1 + 4) == 3 * 52);
}

TEST_CASE("damage: no flipped bit in a ggml file's headers breaks the reader") {
  const TemporaryFolder dir;
  const fs::path file = dir.path() / "ggml.bin";
  write(to_ggml(small_model(), DType::q8_0), file);
  // Heads and the type may take another value, unlike magic, the other numbers and the filters'
  // size.
  CHECK(refused_flips(file, file, 0, 56) > 3 * 40);
  const std::size_t name = bytes_of_file(file).find("encoder.blocks.1.mlp.0.weight");
  REQUIRE(name != std::string::npos);
  CHECK(refused_flips(file, file, name - 20, 20 + 29) == 3 * 49);
}

TEST_CASE("damage: no flipped bit in a safetensors header breaks the reader") {
  const TemporaryFolder dir;
  write(to_safetensors(small_model(), DType::f16), dir.path());
  const fs::path file = dir.path() / "model.safetensors";
  // Beyond the length: JSON. A flip inside the metadata alone does no harm.
  CHECK(refused_flips(dir.path(), file, 0, 8) == 3 * 8);
  CHECK(refused_flips(dir.path(), file, 40, 200) == 3 * 200);
}

TEST_CASE("damage: random bytes after a good beginning are refused") {
  std::mt19937 random(5);
  const TemporaryFolder dir;
  write(to_ctranslate2(small_model(), Ct2Quantization::int8), dir.path());
  const fs::path ggml = dir.path() / "ggml.bin";
  write(to_ggml(small_model(), DType::q4_1), ggml);
  const std::string ct2_start = bytes_of_file(dir.path() / "model.bin").substr(0, 60);
  const std::string ggml_start = bytes_of_file(ggml).substr(0, 400'000);
  for (int i = 0; i < 50; ++i) {
    std::string noise;
    for (int k = 0; k < 2000; ++k) noise += static_cast<char>(random());
    put_bytes(dir.path() / "model.bin", ct2_start.substr(0, 22 + random() % 38) + noise);
    CHECK(is_refused(dir.path()));
    put_bytes(ggml, ggml_start.substr(0, 48 + random() % 350'000) + noise);
    CHECK(is_refused(ggml));
  }
}

TEST_CASE("damage: absurd sizes cost no memory") {
  const long before = peak_kb();
  const TemporaryFolder dir;
  const fs::path file = dir.path() / "ggml.bin";
  GgmlModel model = to_ggml(small_model(), DType::f32);
  model.tensors.resize(1);
  const GgmlModel good = model;
  for (std::size_t i = 0; i < good.header.size(); ++i) {
    for (const std::int32_t value : {0x7fffffff, 0x40000000, 65536}) {
      model = good;
      model.header[i] = value;
      write(model, file);
      CHECK(is_refused(file));
    }
  }
  model = good;
  model.tensors[0].extents = {0x7fffffff, 1, 1};
  write(model, file);
  CHECK(is_refused(file));
  // A header that says 2^62 bytes follow, variables that say 2^32.
  put_bytes(dir.path() / "config.json", good_config());
  put_bytes(dir.path() / "model.safetensors", bytes_of(std::uint64_t{1} << 62U) + "{}");
  CHECK(is_refused(dir.path()));
  Ct2Model ct2 = to_ctranslate2(small_model(), Ct2Quantization::int8);
  ct2.variables[0].shape = {0xffffffff, 1};
  write(ct2, dir.path());
  CHECK(is_refused(dir.path()));
  // Generous, for sanitizers keep freed memory; the sizes asked for above are 2 GB and more.
  CHECK(peak_kb() - before < 512 * 1024);
}

TEST_CASE("safetensors: values that overlap, leave gaps or lie outside are refused") {
  const auto entry = [](const std::string& name, int from, int to) {
    return "\"" + name + R"(": {"dtype": "F32", "shape": [1], "data_offsets": [)" +
           std::to_string(from) + "," + std::to_string(to) + "]}";
  };
  const auto said = [](const std::string& entries) {
    return refusal_of_safetensors("{" + entries + "}", "01234567");
  };
  const auto has = [](const std::string& text, const char* part) {
    CAPTURE(text);
    CHECK(text.find(part) != std::string::npos);
  };
  has(said(entry("a", 0, 4) + "," + entry("b", 0, 4)), "the next at 4, found 0");
  has(said(entry("a", 0, 4) + "," + entry("b", 2, 6)), "the next at 4, found 2");
  has(said(entry("a", 4, 8)), "the next at 0, found 4");
  has(said(entry("a", 0, 4)), "the next at 4, found 8");
  has(said(entry("a", 6, 10)), "a: expected data_offsets within 8 bytes, found [6, 10]");
  has(said(entry("a", 8, 4)), "a: expected data_offsets within 8 bytes, found [8, 4]");
  has(said(entry("a", -4, 0)), "a: expected data_offsets as numbers");
  has(said(entry("a", 0, 8)), "a: expected [1] of \"F32\", found 8 bytes");
  has(said(entry("a", 0, 4) + "," + entry("a", 4, 8)), "found \"a\" twice");
  has(said("\"a\": 3"), "a: expected dtype, shape and data_offsets, found 3");
  has(said("\"a\": {}"), "a: expected dtype F32, F16 or BF16, found null");
  has(refusal_of_safetensors("[]", ""), "header: expected an object");
  has(refusal_of_safetensors("{}", ""), "encoder.conv1.weight: expected [32, 80, 3]");
}

TEST_CASE("safetensors: an index cannot point out of its directory") {
  for (const char* name :
       {"../model.safetensors", "/etc/passwd", "", "sub/a.safetensors", "a.bin"}) {
    CAPTURE(name);
    const TemporaryFolder dir;
    put_bytes(dir.path() / "config.json", good_config());
    put_bytes(dir.path() / "model.safetensors.index.json",
              R"({"weight_map": {"a": ")" + std::string(name) + "\"}}");
    CHECK_THROWS_WITH_AS(
        open_model(dir.path()),
        doctest::Contains("a: expected a .safetensors file in the directory, found"), ModelError);
  }
}
