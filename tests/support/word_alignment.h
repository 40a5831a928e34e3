// Two texts word by word: what one has and the other lacks.
#pragma once

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string>
#include <vector>

namespace wnpu::tests {

// Lower case, letters and digits only, without empty words.
inline std::vector<std::string> plain_words(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; in >> word;) {
    std::string plain;
    for (const char c : word) {
      const auto byte = static_cast<unsigned char>(c);
      if (std::isalnum(byte) != 0) plain += static_cast<char>(std::tolower(byte));
    }
    if (!plain.empty()) words.push_back(plain);
  }
  return words;
}

struct WordErrors {
  std::size_t total = 0;
  std::size_t longest_loss = 0;   // words in a row that only the reference has
  std::size_t longest_extra = 0;  // words in a row that only the hypothesis has
};

// Along one shortest edit path; substitutions end a run.
inline WordErrors compare_words(const std::vector<std::string>& reference,
                                const std::vector<std::string>& hypothesis) {
  const std::size_t n = reference.size();
  const std::size_t m = hypothesis.size();
  std::vector<std::vector<std::size_t>> cost(n + 1, std::vector<std::size_t>(m + 1));
  for (std::size_t i = 0; i <= n; ++i) {
    for (std::size_t j = 0; j <= m; ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      const std::size_t differs = reference[i - 1] == hypothesis[j - 1] ? 0 : 1;
      cost[i][j] = std::min({cost[i - 1][j - 1] + differs, cost[i - 1][j] + 1, cost[i][j - 1] + 1});
    }
  }
  WordErrors errors{cost[n][m]};
  std::size_t loss = 0;
  std::size_t extra = 0;
  for (std::size_t i = n, j = m; i > 0 || j > 0;) {
    const bool pairs =
        i > 0 && j > 0 &&
        cost[i][j] == cost[i - 1][j - 1] + (reference[i - 1] == hypothesis[j - 1] ? 0 : 1);
    const bool is_lost = !pairs && i > 0 && cost[i][j] == cost[i - 1][j] + 1;
    loss = is_lost ? loss + 1 : 0;
    extra = pairs || is_lost ? 0 : extra + 1;
    if (pairs || is_lost) --i;
    if (pairs || !is_lost) --j;
    errors.longest_loss = std::max(errors.longest_loss, loss);
    errors.longest_extra = std::max(errors.longest_extra, extra);
  }
  return errors;
}

}  // namespace wnpu::tests
