// Packing weights straight from a file: the same panels as from fp32 matrices, whatever the type.
#include "models/weights/pack_weights.h"

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

#include <doctest/doctest.h>

#include "models/base/aligned_memory.h"
#include "models/base/error.h"
#include "models/files/open_model.h"
#include "models/kernels/operands/packed_b.h"
#include "tests/nano/nano_codec.h"
#include "tests/nano/nano_ctranslate2.h"
#include "tests/nano/nano_ggml.h"
#include "tests/support/small_model.h"
#include "tests/support/temporary_folder.h"

using namespace wnpu::kernels;
using namespace wnpu::models;  // NOLINT: the names under test
using namespace wnpu::tests;   // NOLINT

namespace {

bool same_panels(const PackedB& a, const PackedB& b) {
  if (a.number() != b.number() || a.n() != b.n() || a.k() != b.k()) return false;
  for (std::size_t i = 0; i < a.n_panels(); ++i) {
    if (std::memcmp(a.panel(i), b.panel(i), a.panel_bytes()) != 0) return false;
  }
  return true;
}

// Every matrix of the decoder from `file`, by both ways.
void check_packing(const ModelFile& file) {
  ThreadPool pool(2);
  const DecoderTensors tensors = find_decoder_weights(file);
  const DecoderWeights weights = load_decoder_weights(file);
  for (const DataType number : {DataType::f32, DataType::f16}) {
    CHECK(same_panels(pack_weights(pool, tensors.token_embedding, number),
                      pack_weights(pool, weights.token_embedding.view(), number)));
    const auto& a = tensors.layers[0];
    const auto& b = weights.layers[0];
    const Linear from_file =
        pack_linear(pool, number, {{a.attn.query, 0.3F}, {a.attn.key}, {a.attn.value, 2.0F}});
    const Linear from_memory =
        pack_linear(pool, number, {{b.attn.query, 0.3F}, {b.attn.key}, {b.attn.value, 2.0F}});
    CHECK(same_panels(from_file.weight, from_memory.weight));
    CHECK(from_file.bias == from_memory.bias);
    CHECK(same_panels(pack_linear(pool, number, {{a.mlp_2}}).weight,
                      pack_linear(pool, number, {b.mlp_2}).weight));
  }
}

}  // namespace

TEST_CASE("pack_weights: from a file of any type on threads gives what fp32 matrices give") {
  const TemporaryFolder dir;
  for (const auto quantization : {Ct2Quantization::float32, Ct2Quantization::float16,
                                  Ct2Quantization::bfloat16, Ct2Quantization::int8_float16}) {
    CAPTURE(static_cast<int>(quantization));
    write(to_ctranslate2(small_model(), quantization), dir.path() / "model");
    check_packing(*open_model(dir.path() / "model"));
  }
  for (const DType dtype : {DType::q4_0, DType::q5_1, DType::q8_0}) {
    CAPTURE(std::string(dtype_name(dtype)));
    write(to_ggml(small_model(), dtype), dir.path() / "ggml.bin");
    check_packing(*open_model(dir.path() / "ggml.bin"));
  }
}

TEST_CASE("pack_weights: pages that were given back are read from the file again") {
  const TemporaryFolder dir;
  write(to_ctranslate2(small_model(), Ct2Quantization::float16), dir.path());
  const auto file = open_model(dir.path());
  ThreadPool pool(1);
  const WeightTensor embedding = find_decoder_weights(*file).token_embedding;
  const PackedB first = pack_weights(pool, embedding, DataType::f16);
  CHECK(same_panels(first, pack_weights(pool, embedding, DataType::f16)));
}

TEST_CASE("pack_weights: a value that is not finite is refused with the tensor's name") {
  const TemporaryFolder dir;
  Ct2Model model = to_ctranslate2(small_model(), Ct2Quantization::float16);
  model.at("decoder/embeddings/weight").bytes.replace(2 * 70 * 32, 2, std::string("\x00\x7c", 2));
  write(model, dir.path());
  const auto file = open_model(dir.path());
  ThreadPool pool(2);
  for (const DataType number : {DataType::f32, DataType::f16}) {
    CHECK_THROWS_WITH_AS(
        pack_weights(pool, find_decoder_weights(*file).token_embedding, number),
        doctest::Contains("decoder.token_embedding.weight: expected finite values, found inf at "
                          "element 2240"),
        ModelError);
  }
}

TEST_CASE(
    "aligned memory: big blocks are 0 and lie where huge pages begin, small ones on vectors") {
  for (const std::size_t size : {std::size_t{1}, std::size_t{100000}, std::size_t{5000001}}) {
    const AlignedArray<std::byte> block = allocate_zeros<std::byte>(size);
    const std::size_t unit = size < (std::size_t{2} << 20U) ? 64 : std::size_t{2} << 20U;
    CHECK(reinterpret_cast<std::uintptr_t>(block.get()) % unit == 0);  // NOLINT: an address
    CHECK(block[0] == std::byte{0});
    CHECK(block[size - 1] == std::byte{0});
    block[size - 1] = std::byte{1};
  }
}

TEST_CASE(
    "aligned memory: a block's parts lie one behind the other, and it gives no more than it has") {
  SharedBlock block(SharedBlock::share(100) + 64);
  const AlignedArray<std::byte> first = block.take(100);
  SharedBlock moved = std::move(block);
  const AlignedArray<std::byte> second = moved.take(1);
  CHECK(reinterpret_cast<std::uintptr_t>(first.get()) % 64 == 0);  // NOLINT: an address
  CHECK(second.get() == first.get() + 128);
  CHECK_THROWS_AS(moved.take(1), std::bad_alloc);

  const AlignedArray<std::byte> own = allocate_in(nullptr, 100);
  own[99] = std::byte{1};
}
