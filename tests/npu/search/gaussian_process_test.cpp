// Properties of a Gaussian process: exact at its points, sure there, less so away from them.
#include "npu/search/gaussian_process.h"

#include <cmath>
#include <random>

#include <doctest/doctest.h>

using wnpu::npu::GaussianProcess;

namespace {

double smooth(const std::vector<double>& x) {
  return 3 * std::sin(2 * x[0]) + x[1] * x[1] - 0.5 * x[0] * x[2] + 10;
}

GaussianProcess::Points random_points(std::mt19937& random, std::size_t n) {
  GaussianProcess::Points points(n, std::vector<double>(3));
  for (auto& p : points) {
    for (double& v : p) v = static_cast<double>(random() % 1000) / 1000;
  }
  return points;
}

}  // namespace

TEST_CASE("gaussian process: near its points it is their value, and it says how sure it is") {
  std::mt19937 random(21);
  const GaussianProcess::Points points = random_points(random, 60);
  GaussianProcess process(points);
  std::vector<double> values;
  for (const auto& p : points) values.push_back(smooth(p));
  process.set({values});
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto at = process.at(points[i]).front();
    CHECK(at.mean == doctest::Approx(values[i]).epsilon(0.01));
    CHECK(at.deviation < 0.05);
  }
  const auto far = process.at({40, 40, 40}).front();
  CHECK(far.deviation > 0.5);
}

TEST_CASE("gaussian process: of a smooth function it knows what lies between") {
  std::mt19937 random(22);
  const GaussianProcess::Points points = random_points(random, 80);
  GaussianProcess process(points);
  std::vector<double> values;
  for (const auto& p : points) values.push_back(smooth(p));
  process.set({values});
  double error = 0;
  double spread = 0;
  constexpr int kCases = 100;
  for (const auto& p : random_points(random, kCases)) {
    error += std::abs(process.at(p).front().mean - smooth(p)) / kCases;
    spread += std::abs(smooth(p) - 11) / kCases;
  }
  MESSAGE("mean error ", error, ", mean distance from a constant ", spread);
  CHECK(error < 0.05 * spread);
}

TEST_CASE("gaussian process: one point, equal points and equal values are no trouble") {
  GaussianProcess one({{0.5, 0.5}});
  one.set({{4}});
  CHECK(one.at({0.1, 0.9}).front().mean == doctest::Approx(4));
  GaussianProcess equal({{0.5}, {0.5}, {0.5}});
  equal.set({{1, 2, 3}});
  CHECK(equal.at({0.5}).front().mean == doctest::Approx(2).epsilon(0.01));
  CHECK(std::isfinite(equal.at({0.7}).front().deviation));
}
