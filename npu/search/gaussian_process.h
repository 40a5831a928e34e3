// Gaussian processes: what is known of a few functions at some points, and how well, from their
// values at others. The covariance of two points falls with their distance (Matern, 5/2); the
// length over which it does is the likeliest of a few for all of them. (Rasmussen and Williams,
// Gaussian Processes for Machine Learning, 2006, algorithm 2.1.)
#pragma once

#include <cstddef>
#include <vector>

namespace wnpu::npu {

class GaussianProcess {
 public:
  using Points = std::vector<std::vector<double>>;

  // All points have as many numbers, at least one; there is at least one point.
  explicit GaussianProcess(Points points);
  GaussianProcess(const GaussianProcess&) = delete;
  GaussianProcess& operator=(const GaussianProcess&) = delete;

  // Values at the points, by function.
  void set(const std::vector<std::vector<double>>& values);

  struct Estimate {
    double mean = 0;
    double deviation = 0;
  };
  // Estimates at a point, one for each function.
  std::vector<Estimate> at(const std::vector<double>& point) const;

 private:
  // The points' covariances for one length, as a triangle L with L L^T of them.
  struct Factor {
    double length = 0;
    std::vector<std::vector<double>> lower;
    double log_determinant = 0;  // of L
  };

  void add_row(Factor& factor, std::size_t i) const;
  std::vector<double> covariances(const std::vector<double>& point, double length) const;
  static std::vector<double> solve_lower(const Factor& factor, std::vector<double> b);
  static std::vector<double> solve_upper(const Factor& factor, std::vector<double> b);

  Points points_;
  std::vector<Factor> factors_;
  const Factor* chosen_ = nullptr;
  struct Function {
    double mean = 0;
    double scale = 1;
    std::vector<double> values;   // of mean 0 and variance 1
    std::vector<double> weights;  // of the points' covariances in the mean
  };
  std::vector<Function> functions_;
};

}  // namespace wnpu::npu
