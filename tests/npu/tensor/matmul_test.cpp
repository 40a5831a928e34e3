// Matrix products of any size against fp64, in all types.
#include <doctest/doctest.h>

#include "tests/few_samples.h"
#include "tests/npu/tensor/tensor_checks.h"
#include "tests/support/text.h"

using namespace wnpu;  // NOLINT
using namespace wnpu::npu::ops;
using tests::open_simulator;
using tests::random_tensor;

namespace {

constexpr Type kTypes[] = {Type::bf16, Type::int8, Type::int16};

double share(Queue& queue, const Tensor& a, const Tensor& b, Type type) {
  const Handle handle = queue.matmul(a, b, type);
  return tests::share_of_bound(
      handle.result(),
      tests::exact_product(rounded(a, Side::left, type), rounded(b, Side::right, type), type));
}

}  // namespace

TEST_CASE("tensor matmul: random sizes in all types keep the bound") {
  constexpr std::size_t kCases = tests::kFewSamples ? 3 : 30;
  const auto device = open_simulator();
  Queue queue(*device);
  tests::Random random(24);
  for (std::size_t i = 0; i < kCases; ++i) {
    const std::size_t m = tests::random_size(random, 300);
    const std::size_t k = tests::random_size(random, 300);
    const std::size_t n = tests::random_size(random, 300);
    const Tensor a = random_tensor({m, k}, 100 + i, 3);
    const Tensor b = random_tensor({k, n}, 200 + i, 3);
    for (const Type type : kTypes) {
      const double found = share(queue, a, b, type);
      CHECK_MESSAGE(found <= 1, m, "x", k, "x", n, " ", type_name(type), ", case ", i, ": ", found);
    }
  }
}

TEST_CASE("tensor matmul: one value, whole tiles, one more than a tile, long and flat") {
  const auto device = open_simulator();
  Queue queue(*device);
  struct Sizes {
    std::size_t m, k, n;
  };
  for (const Sizes& s : {Sizes{1, 1, 1}, Sizes{256, 64, 256}, Sizes{257, 129, 257},
                         Sizes{3, 3000, 2}, Sizes{1300, 5, 3}, Sizes{2, 7, 1300}}) {
    for (const Type type : kTypes) {
      const Tensor a = random_tensor({s.m, s.k}, s.m + s.n);
      const Tensor b = random_tensor({s.k, s.n}, s.k);
      const double found = share(queue, a, b, type);
      CHECK_MESSAGE(found <= 1, s.m, "x", s.k, "x", s.n, " ", type_name(type), ": ", found);
    }
  }
}

TEST_CASE("tensor matmul: what int16 is for: far nearer to fp64 than bf16 and int8") {
  const auto device = open_simulator();
  Queue queue(*device);
  const Tensor a = random_tensor({50, 200}, 1);
  const Tensor b = random_tensor({200, 60}, 2);
  const auto error = [&](Type type) {
    const Tensor found = queue.matmul(a, b, type).result().value;
    const tests::Exact exact = tests::exact_product(a, b, type);
    double sum = 0;
    for (std::size_t i = 0; i < found.values.size(); ++i) {
      sum += std::pow(found.values[i] - exact.values[i], 2);
    }
    return std::sqrt(sum);
  };
  const double of_int16 = error(Type::int16);
  CHECK(100 * of_int16 < error(Type::bf16));
  CHECK(100 * of_int16 < error(Type::int8));
}

TEST_CASE("tensor matmul: rows and columns of very different size keep the bound") {
  const auto device = open_simulator();
  Queue queue(*device);
  Tensor a = random_tensor({40, 70}, 5);
  Tensor b = random_tensor({70, 30}, 6);
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    a.values[i] *= std::exp2(static_cast<float>(i / 70) - 20);
  }
  for (std::size_t i = 0; i < b.values.size(); ++i) {
    b.values[i] *= std::exp2(40 - static_cast<float>(i % 30));
  }
  for (const Type type : kTypes) CHECK(share(queue, a, b, type) <= 1);
}

TEST_CASE("tensor matmul: zeros, denormals, the largest, infinities and NaN stay in their rows") {
  const auto device = open_simulator();
  Queue queue(*device);
  Tensor a = random_tensor({20, 33}, 7);
  const Tensor b = random_tensor({33, 9}, 8);
  for (std::size_t c = 0; c < 33; ++c) {
    a.values[c] = 0;
    a.values[33 + c] = 1e-40F;
    a.values[2 * 33 + c] *= 1e15F;
  }
  for (const Type type : kTypes) CHECK(share(queue, a, b, type) <= 1);
  a.values[5 * 33 + 4] = INFINITY;
  a.values[9 * 33 + 30] = NAN;
  CHECK(share(queue, a, b, Type::bf16) <= 1);
  for (const Type type : {Type::int8, Type::int16}) {
    const std::string message =
        tests::message_of<TensorError>([&] { queue.matmul(a, b, type).result(); });
    CHECK(message == "matmul " + std::string(type_name(type)) +
                         " [20, 33] x [33, 9]: a: expected finite values, since a scale is made "
                         "of the largest, found inf at [5, 4]");
  }
}

TEST_CASE("tensor matmul: cut by a memory limit it takes no more, and has the same bits") {
  const auto device = open_simulator();
  Queue queue(*device);
  const Tensor a = random_tensor({700, 150}, 9);
  const Tensor b = random_tensor({150, 900}, 10);
  for (const Type type : tests::some_of(kTypes)) {
    queue.set_memory_limit(std::nullopt);
    const Handle whole = queue.matmul(a, b, type);
    const TensorReport& report = whole.result().report;
    for (const std::size_t limit : {std::size_t{1'500'000}, std::size_t{700'000}}) {
      queue.set_memory_limit(limit);
      const Handle cut = queue.matmul(a, b, type);
      CHECK(cut.result().value.values == whole.result().value.values);
      CHECK(cut.result().report.memory_bytes <= limit);
      CHECK(cut.result().report.memory_bytes < report.memory_bytes);
      CHECK(cut.result().report.calls > report.calls);
      CHECK(cut.result().report.apart_bytes > cut.result().report.memory_bytes);
    }
  }
}

TEST_CASE("tensor matmul: the least memory limit that is named does, and one byte less does not") {
  const auto device = open_simulator();
  Queue queue(*device);
  const Tensor a = random_tensor({300, 400}, 11);
  const Tensor b = random_tensor({400, 300}, 12);
  for (const Type type : tests::some_of(kTypes)) {
    queue.set_memory_limit(1);
    const std::string message =
        tests::message_of<npu::DeviceError>([&] { queue.matmul(a, b, type).result(); });
    const std::string before = "expected a memory limit of at least ";
    REQUIRE(message.find(before) != std::string::npos);
    const std::size_t least = std::stoul(message.substr(message.find(before) + before.size()));
    queue.set_memory_limit(least - 1);
    CHECK_THROWS_AS(queue.matmul(a, b, type).result(), npu::DeviceError);
    queue.set_memory_limit(least);
    const Handle product = queue.matmul(a, b, type);
    CHECK(product.result().report.memory_bytes == least);
    CHECK(product.result().report.reason.find("depth in") == 0);  // other bits, and says so
    CHECK(tests::share_of_bound(product.result(),
                                tests::exact_product(rounded(a, Side::left, type),
                                                     rounded(b, Side::right, type), type)) <= 1);
  }
}

TEST_CASE("tensor matmul: large ones are several calls where a call cannot be as large" *
          doctest::skip(tests::kFewSamples)) {
  const auto device = open_simulator();
  Queue queue(*device);
  const Tensor tall = random_tensor({16500, 8}, 13);  // a call has 64 blocks of 256 rows
  const Tensor b = random_tensor({8, 8}, 14);
  CHECK(share(queue, tall, b, Type::bf16) <= 1);
  CHECK(queue.matmul(tall, b).result().report.calls == 2);
  const Tensor wide = random_tensor({1, 265'000}, 17);  // a core makes 1,024 tiles in a call
  const Handle row = queue.matmul(random_tensor({1, 1}, 18), wide);
  CHECK(row.result().report.calls == 2);
  CHECK(share(queue, random_tensor({1, 1}, 18), wide, Type::bf16) <= 1);
  const Tensor deep = random_tensor({3, 140000}, 15);  // int32 holds sums of 131,072 products
  const Tensor long_b = random_tensor({140000, 2}, 16);
  const Handle product = queue.matmul(deep, long_b, Type::int8);
  CHECK(product.result().report.calls == 2);
  CHECK(share(queue, deep, long_b, Type::int8) <= 1);
}
