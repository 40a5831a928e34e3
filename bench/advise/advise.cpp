#include "bench/advise/advise.h"

#include <algorithm>
#include <filesystem>
#include <limits>

#include "app/engine/option_check.h"
#include "models/weights/precision.h"

namespace wnpu::bench {
namespace {

constexpr std::size_t kBeams = 5;
constexpr std::size_t kBatch = 8;

bool can_be_batched(const app::Options& work) {
  if (app::has_clips(work.transcribe) || work.vad == false) return false;
  std::error_code error;
  return std::filesystem::is_regular_file(work.transcribe.vad.weights, error);
}

}  // namespace

std::vector<Candidate> candidates_of(const BenchOptions& options, unsigned threads) {
  std::vector<std::string_view> precisions(models::kPrecisionNames.begin(),
                                           models::kPrecisionNames.end());
  if (options.work.gemm != kernels::Gemm::own)
    precisions = {models::precision_name(models::Precision::fp32)};
  std::vector<std::size_t> batches{1};
  if (can_be_batched(options.work)) batches.push_back(kBatch);
  std::vector<Candidate> all;
  for (const std::string_view precision : precisions) {
    for (const std::size_t beams : {kBeams, std::size_t{1}}) {
      for (const std::size_t batch : batches)
        all.push_back({std::string(precision), beams, batch, threads});
    }
  }
  return all;
}

std::size_t advised(std::span<const Tried> tried) {
  double fewest = std::numeric_limits<double>::infinity();
  for (const Tried& each : tried) fewest = std::min(fewest, each.error_rate);
  std::vector<std::size_t> good;
  double fastest = 0;
  for (std::size_t i = 0; i < tried.size(); ++i) {
    if (tried[i].error_rate > fewest + kWorse) continue;
    good.push_back(i);
    fastest = std::max(fastest, tried[i].speed());
  }
  std::erase_if(good, [&](std::size_t i) { return tried[i].speed() < fastest * (1 - kAsFast); });
  return *std::ranges::min_element(good, {}, [&](std::size_t i) {
    return std::pair(tried[i].peak_bytes, tried[i].candidate.threads);
  });
}

std::vector<std::pair<std::string, std::string>> options_of(const Candidate& candidate) {
  return {{"--precision", candidate.precision},
          {"--beam-size", std::to_string(candidate.beams)},
          {"--batch-size", std::to_string(candidate.batch)},
          {"--threads", std::to_string(candidate.threads)}};
}

}  // namespace wnpu::bench
