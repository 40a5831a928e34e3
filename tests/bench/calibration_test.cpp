#include "bench/core/calibration.h"

#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "bench/core/calibration_kernels.h"
#include "models/kernels/products/gemm.h"
#include "models/kernels/vectors/instruction_set.h"

using namespace wnpu::bench;

namespace {

// Work that is done at once; enough for times above zero.
constexpr CalibrationSizes kSmall = {.rounds = 3,
                                     .copy_bytes = 1 << 20,
                                     .read_bytes = 1 << 20,
                                     .peak_rounds = 3,
                                     .fma_rounds = 20'000};

constexpr std::size_t kSize = yardstick::kGemmSize;

// Sums of products of these are exact in fp32, in any order.
std::vector<float> small_whole_numbers(std::mt19937& random) {
  std::vector<float> values(kSize * kSize);
  for (float& value : values) {
    value = static_cast<float>(random() % 7) - 3;
  }
  return values;
}

float product_at(const std::vector<float>& a, const std::vector<float>& b, std::size_t i,
                 std::size_t j) {
  float sum = 0;
  for (std::size_t k = 0; k < kSize; ++k) {
    sum += a[i * kSize + k] * b[k * kSize + j];
  }
  return sum;
}

std::vector<float> product(const std::vector<float>& a, const std::vector<float>& b) {
  std::vector<float> c(kSize * kSize);
  for (std::size_t at = 0; at < c.size(); ++at) {
    c[at] = product_at(a, b, at / kSize, at % kSize);
  }
  return c;
}

}  // namespace

TEST_CASE("calibration: the GEMM is a matrix product") {
  std::mt19937 random(3);
  const std::vector<float> a = small_whole_numbers(random);
  const std::vector<float> b = small_whole_numbers(random);
  std::vector<float> c(kSize * kSize, 99.0F);
  yardstick::gemm(a, b, c);
  CHECK(c == product(a, b));
}

TEST_CASE("calibration: the sum reads every value") {
  std::vector<float> values(640, 0.0F);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = 1.0F;
    CHECK(yardstick::sum(values) == static_cast<float>(i + 1));
  }
}

TEST_CASE("calibration: multiply-add counts its operations and gives their result") {
  // s = s / 2 + 1/2 tends to 1 in each lane of twelve chains; two operations each a round.
  float sink = 0.5F;
  const double operations = yardstick::multiply_add(1000, sink);
  CHECK(operations == 2.0 * 1000 * static_cast<double>(sink));
}

TEST_CASE("calibration: times and peaks of one thread and of two are positive") {
  for (const unsigned threads : {1U, 2U}) {
    const Calibration calibration = calibrate(threads, kSmall);
    CHECK(calibration.threads == threads);
    CHECK(calibration.gemm_s > 0);
    CHECK(calibration.copy_s > 0);
    const Peaks peaks = measure_peaks(threads, kSmall);
    CHECK(peaks.fma_gflops > 0);
    CHECK(peaks.integer_gops > 0);
    CHECK((peaks.byte_gops > 0) == wnpu::kernels::has_byte_instructions());
    CHECK(peaks.read_gb_per_s > 0);
    CHECK_FALSE(peaks.instruction_set.empty());
  }
}

TEST_CASE("calibration: a relative time is the same on a machine of twice the speed") {
  const Calibration slow = {.threads = 1, .gemm_s = 2, .copy_s = 4};
  const Calibration fast = {.threads = 1, .gemm_s = 1, .copy_s = 2};
  CHECK(relative_time(6, slow, 0.5) == relative_time(3, fast, 0.5));
  CHECK(relative_time(6, slow, 1.0) == 3.0);
  CHECK(relative_time(6, slow, 0.0) == 1.5);
}
