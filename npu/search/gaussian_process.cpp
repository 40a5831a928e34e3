#include "npu/search/gaussian_process.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace wnpu::npu {
namespace {

constexpr std::array kLengths{0.1, 0.2, 0.4, 0.8, 1.6, 3.2};
// Added to a variance of 1: values are exact, and the triangle has to exist.
constexpr double kNoise = 1e-4;

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

double matern(double distance, double length) {
  const double r = std::sqrt(5.0) * distance / length;
  return (1 + r + r * r / 3) * std::exp(-r);
}

double dot(const std::vector<double>& a, const std::vector<double>& b, std::size_t n) {
  return std::inner_product(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(n), b.begin(), 0.0);
}

}  // namespace

GaussianProcess::GaussianProcess(Points points) : points_(std::move(points)) {
  for (const double length : kLengths) {
    Factor factor{length, {}, 0};
    for (std::size_t i = 0; i < points_.size(); ++i) add_row(factor, i);
    factors_.push_back(std::move(factor));
  }
  set({});
}

// Cholesky's rows, one after the other.
void GaussianProcess::add_row(Factor& factor, std::size_t i) const {
  factor.lower.emplace_back(i + 1);
  std::vector<double>& row = factor.lower.back();
  for (std::size_t j = 0; j <= i; ++j) {
    const double noise = i == j ? kNoise : 0.0;
    const double k = matern(distance(points_[i], points_[j]), factor.length) + noise;
    const double rest = k - dot(row, factor.lower[j], j);
    row[j] = i == j ? std::sqrt(std::max(rest, kNoise / 2)) : rest / factor.lower[j][j];
  }
  factor.log_determinant += std::log(row[i]);
}

std::vector<double> GaussianProcess::solve_lower(const Factor& factor, std::vector<double> b) {
  for (std::size_t i = 0; i < b.size(); ++i) {
    b[i] = (b[i] - dot(factor.lower[i], b, i)) / factor.lower[i][i];
  }
  return b;
}

std::vector<double> GaussianProcess::solve_upper(const Factor& factor, std::vector<double> b) {
  for (std::size_t i = b.size(); i-- > 0;) {
    b[i] /= factor.lower[i][i];
    for (std::size_t j = 0; j < i; ++j) b[j] -= factor.lower[i][j] * b[i];
  }
  return b;
}

void GaussianProcess::set(const std::vector<std::vector<double>>& values) {
  functions_.clear();
  for (const std::vector<double>& of_one : values) {
    Function f;
    const auto n = static_cast<double>(of_one.size());
    f.mean = std::accumulate(of_one.begin(), of_one.end(), 0.0) / n;
    double variance = 0;
    for (const double v : of_one) variance += (v - f.mean) * (v - f.mean) / n;
    f.scale = variance > 0 ? std::sqrt(variance) : 1;
    for (const double v : of_one) f.values.push_back((v - f.mean) / f.scale);
    functions_.push_back(std::move(f));
  }
  double best = 0;
  chosen_ = nullptr;
  for (const Factor& factor : factors_) {
    double likelihood = 0;
    for (const Function& f : functions_) {
      const std::vector<double> z = solve_lower(factor, f.values);
      likelihood -= 0.5 * dot(z, z, z.size()) + factor.log_determinant;
    }
    if (chosen_ != nullptr && likelihood <= best) continue;
    best = likelihood;
    chosen_ = &factor;
  }
  for (Function& f : functions_) {
    f.weights = solve_upper(*chosen_, solve_lower(*chosen_, f.values));
  }
}

std::vector<double> GaussianProcess::covariances(const std::vector<double>& point,
                                                 double length) const {
  std::vector<double> k;
  k.reserve(points_.size());
  for (const std::vector<double>& other : points_)
    k.push_back(matern(distance(point, other), length));
  return k;
}

std::vector<GaussianProcess::Estimate> GaussianProcess::at(const std::vector<double>& point) const {
  const std::vector<double> k = covariances(point, chosen_->length);
  const std::vector<double> z = solve_lower(*chosen_, k);
  const double deviation = std::sqrt(std::max(0.0, 1 - dot(z, z, z.size())));
  std::vector<Estimate> estimates;
  for (const Function& f : functions_) {
    estimates.push_back({f.mean + f.scale * dot(k, f.weights, k.size()), f.scale * deviation});
  }
  return estimates;
}

}  // namespace wnpu::npu
