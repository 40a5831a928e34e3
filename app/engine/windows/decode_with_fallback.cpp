#include "app/engine/windows/decode_with_fallback.h"

#include <numeric>
#include <utility>

#include "decoder/text/fallback.h"

namespace wnpu::app {

std::vector<DecodedWithFallback> decode_with_fallback(Recognizer& recognizer,
                                                      const WindowOptions& options,
                                                      std::size_t n_windows,
                                                      const MakeJob& make_job) {
  std::vector<DecodedWithFallback> all(n_windows);
  std::vector<std::vector<decoder::Decoded>> tries(n_windows);
  std::vector<std::size_t> open(n_windows);
  std::iota(open.begin(), open.end(), 0);
  for (const double temperature : options.temperatures()) {
    std::vector<DecodeJob> jobs;
    jobs.reserve(open.size());
    for (const std::size_t i : open) jobs.push_back(make_job(i, temperature));
    std::vector<decoder::Decoded> decoded = recognizer.decode(jobs);
    std::vector<std::size_t> failed;
    for (std::size_t j = 0; j < open.size(); ++j) {
      all[open[j]].n_tokens += decoded[j].tokens.size();
      if (decoder::needs_fallback(decoded[j], options.thresholds())) failed.push_back(open[j]);
      tries[open[j]].push_back(std::move(decoded[j]));
    }
    open = std::move(failed);
    if (open.empty()) break;
  }
  for (const std::size_t i : open) {
    std::swap(tries[i][decoder::best_try(tries[i], options.thresholds())], tries[i].back());
  }
  for (std::size_t i = 0; i < n_windows; ++i) all[i].kept = std::move(tries[i].back());
  return all;
}

}  // namespace wnpu::app
