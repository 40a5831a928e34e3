// Word times for attention of every size and kind, against openai/whisper's timing.py written out
// plainly; where torch and numba decide what NaN and infinity do, by what they do.
#include "decoder/text/time_warp.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "tests/few_samples.h"
#include "tests/support/random_matrix.h"

using namespace wnpu::decoder;  // NOLINT
using wnpu::models::Matrix;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

using Rows = std::vector<std::vector<float>>;  // [tokens, positions]

Rows row_softmax(Rows x) {
  for (auto& row : x) {
    float largest = -kInfinity;
    for (const float v : row) largest = std::max(largest, v);
    float sum = 0;
    for (float& v : row) sum += v = std::exp(v - largest);
    for (float& v : row) v = v / sum;
  }
  return x;
}

// torch.std_mean: by Welford's method, in fp64, rounded to fp32.
void normalise(Rows& x) {
  for (std::size_t c = 0; c < x[0].size(); ++c) {
    double mean = 0;
    double squares = 0;
    double n = 0;
    for (const auto& row : x) {
      const double before = double(row[c]) - mean;
      mean += before / ++n;
      squares += before * (double(row[c]) - mean);
    }
    const auto deviation = float(std::sqrt(squares / n));
    for (auto& row : x) row[c] = (row[c] - float(mean)) / deviation;
  }
}

// timing.py median_filter: torch sorts NaN behind infinity.
std::vector<float> smooth(const std::vector<float>& x) {
  const auto n = int(x.size());
  if (n <= 3) return x;
  std::vector<float> out;
  for (int i = 0; i < n; ++i) {
    std::vector<float> numbers;
    for (int j = i - 3; j <= i + 3; ++j) {
      const float v = x[std::size_t(j < 0 ? -j : j >= n ? 2 * (n - 1) - j : j)];
      if (!std::isnan(v)) numbers.push_back(v);
    }
    std::ranges::sort(numbers);
    out.push_back(numbers.size() > 3 ? numbers[3] : kNan);
  }
  return out;
}

Rows plain_cost(const std::vector<Rows>& heads) {
  Rows sum(heads[0].size(), std::vector<float>(heads[0][0].size()));
  for (Rows head : heads) {
    head = row_softmax(head);
    normalise(head);
    for (std::size_t r = 0; r < head.size(); ++r) {
      const auto row = smooth(head[r]);
      for (std::size_t c = 0; c < row.size(); ++c) sum[r][c] += row[c];
    }
  }
  for (auto& row : sum) {
    for (float& v : row) v = -(v / float(heads.size()));
  }
  return sum;
}

// timing.py dtw_cpu, backtrace and jumps; a row that begins in column -1 begins in 0.
std::vector<std::size_t> plain_first_columns(const Rows& x) {
  const std::size_t n = x.size();
  const std::size_t m = x[0].size();
  Rows cost(n + 1, std::vector<float>(m + 1, kInfinity));
  std::vector<std::vector<int>> trace(n + 1, std::vector<int>(m + 1, -1));
  cost[0][0] = 0;
  for (std::size_t j = 1; j <= m; ++j) {
    for (std::size_t i = 1; i <= n; ++i) {
      const float c0 = cost[i - 1][j - 1];
      const float c1 = cost[i - 1][j];
      const float c2 = cost[i][j - 1];
      const int t = c0 < c1 && c0 < c2 ? 0 : c1 < c0 && c1 < c2 ? 1 : 2;
      cost[i][j] = x[i - 1][j - 1] + (t == 0 ? c0 : t == 1 ? c1 : c2);
      trace[i][j] = t;
    }
  }
  trace[0].assign(m + 1, 2);
  for (auto& row : trace) row[0] = 1;
  std::vector<std::pair<int, int>> path;
  for (std::size_t i = n, j = m; i > 0 || j > 0;) {
    path.emplace_back(int(i) - 1, int(j) - 1);
    const int t = trace[i][j];
    if (t != 2) --i;
    if (t != 1) --j;
  }
  std::ranges::reverse(path);
  std::vector<std::size_t> first;
  for (std::size_t k = 0; k < path.size(); ++k) {
    if (k == 0 || path[k].first != path[k - 1].first)
      first.push_back(std::size_t(std::max(path[k].second, 0)));
  }
  return first;
}

enum class Kind { noise, constant, zero, peaks, underflow, equal_rows, nan, infinite, mixed };

Matrix attention(Kind kind, std::size_t rows, std::size_t columns, std::uint32_t seed) {
  const auto noise = wnpu::tests::random_vector(rows * columns, seed, 1.0);
  Matrix scores(rows, columns);
  for (std::size_t i = 0; i < noise.size(); ++i) {
    float& v = scores.flat()[i];
    const bool is_rare = noise[i] > 0.7F;
    switch (kind) {
      case Kind::noise:
        v = 5 * noise[i];
        break;
      case Kind::constant:
        v = 3;
        break;
      case Kind::zero:
        v = 0;
        break;
      case Kind::peaks:
        v = i % columns == i / columns * 2 % columns ? 20 : noise[i];
        break;
      case Kind::underflow:
        v = i % columns % 3 == 0 ? noise[i] : -95 + 15 * noise[i];
        break;
      case Kind::equal_rows:
        v = 4 * noise[i % columns];
        break;
      case Kind::nan:
        v = is_rare ? kNan : noise[i];
        break;
      case Kind::infinite:
        v = is_rare ? kInfinity : noise[i];
        break;
      case Kind::mixed:
        v = is_rare ? -kInfinity : 300 * noise[i];
        break;
    }
  }
  return scores;
}

bool same(float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// Whether cost and times are the plain ones, and the times lie in the window and never fall.
bool holds(Kind kind, std::size_t n_rows, std::size_t n_positions, std::uint32_t seed) {
  std::vector<Matrix> scores;
  std::vector<Rows> heads;
  for (std::uint32_t h = 0; h < 2; ++h) {
    scores.push_back(attention(kind, n_rows, 24, 2 * seed + h));
    heads.emplace_back();
    for (std::size_t r = 0; r < n_rows; ++r) {
      const auto row = scores.back().row(r).first(n_positions);
      heads.back().emplace_back(row.begin(), row.end());
    }
  }
  const Matrix cost = attention_cost(scores, n_positions);
  const Rows expected = plain_cost(heads);
  for (std::size_t r = 0; r < n_rows; ++r) {
    if (!std::ranges::equal(cost.row(r), expected[r], same)) return false;
  }
  const auto columns = first_columns(cost.view());
  return columns.size() == n_rows && columns == plain_first_columns(expected) &&
         std::ranges::is_sorted(columns) && columns.back() < std::max<std::size_t>(n_positions, 1);
}

}  // namespace

TEST_CASE("time warp: any attention of any size gives each token a time, openai/whisper's") {
  std::uint32_t seed = 0;
  for (int kind = 0; kind <= int(Kind::mixed); ++kind) {
    for (std::size_t n_rows = 1; n_rows <= 14; n_rows += wnpu::tests::kFewSamples ? 3 : 1) {
      for (std::size_t n_frames = 0; n_frames <= 40; ++n_frames) {
        CAPTURE(kind);
        CAPTURE(n_rows);
        CAPTURE(n_frames);
        REQUIRE(holds(Kind(kind), n_rows, n_frames / 2, ++seed));
      }
    }
  }
}

TEST_CASE("time warp: any cost gives each row a column, openai/whisper's") {
  for (std::uint32_t seed = 0; seed < 2000; ++seed) {
    const std::size_t n = 1 + seed % 7;
    const std::size_t m = seed % 11;
    Matrix cost(n, m);
    Rows rows(n, std::vector<float>(m));
    const auto noise = wnpu::tests::random_vector(n * m, seed, 1.0);
    for (std::size_t i = 0; i < noise.size(); ++i) {
      const float v = noise[i];
      float& cell = rows[i / m][i % m];
      cell = v > 0.9F ? kNan : v > 0.8F ? kInfinity : v < -0.9F ? -kInfinity : v;
      cost.row(i / m)[i % m] = cell;
    }
    CAPTURE(seed);
    REQUIRE(first_columns(cost.view()) == plain_first_columns(rows));
  }
}

TEST_CASE("time warp: a column that all tokens hear equally ends the text before it") {
  Matrix cost(3, 6);
  for (float& v : cost.flat()) v = 1;
  for (std::size_t r = 0; r < 3; ++r) cost.row(r)[r + 1] = -1;
  for (std::size_t r = 0; r < 3; ++r) cost.row(r)[5] = kNan;
  CHECK(first_columns(cost.view()) == std::vector<std::size_t>{0, 2, 3});
  for (std::size_t r = 0; r < 3; ++r) cost.row(r)[0] = kNan;
  CHECK(first_columns(cost.view()) == std::vector<std::size_t>{0, 0, 0});
}

TEST_CASE("median filter: NaN is larger than any number") {
  std::vector<float> x = {1, kNan, 3, kInfinity, 2, 1, 0, -kInfinity, 5};
  median_filter(x, 7);
  CHECK(x == std::vector<float>{kInfinity, 3, 3, 2, 2, 2, 1, 0, 0});  // torch 2.15
  std::vector<float> all(9, kNan);
  median_filter(all, 7);
  CHECK(std::ranges::all_of(all, [](float v) { return std::isnan(v); }));
}
