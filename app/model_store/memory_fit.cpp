#include "app/model_store/memory_fit.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace wnpu::app {
namespace {

using models::Precision;

// The least log-mel that is worth keeping: half a minute.
constexpr std::uint64_t kLeastFeatures = kMiB;
// Batches of one are another way through a file (app/README.md), with another text.
constexpr std::size_t kLeastBatch = 2;

// The one that is taken without a limit, then those that may take less, the finest first.
std::vector<Precision> precisions_of(const Options& options) {
  const std::string& asked = options.device.cpu_precision;
  if (const auto named = models::parse_precision(asked)) return {*named};
  const Precision usual = models::auto_precision();
  std::vector<Precision> all{usual};
  for (const Precision each : {Precision::int16, Precision::int8}) {
    if (each > usual) all.push_back(each);
  }
  return all;
}

// How many batches may be smaller, largest first.
std::vector<std::size_t> batches_of(std::size_t asked) {
  std::vector<std::size_t> sizes{asked};
  while (sizes.back() > kLeastBatch) sizes.push_back(std::max(kLeastBatch, sizes.back() / 2));
  return sizes;
}

// Whole MiB, as the limit is written.
std::uint64_t in_mib(std::uint64_t bytes) { return (bytes + kMiB - 1) / kMiB; }
std::string size_of(std::uint64_t bytes) { return std::to_string(in_mib(bytes)) + "M"; }

// As much log-mel as there is room for beside the rest.
bool fits(const ModelFacts& model, std::uint64_t limit, WorkSize& work) {
  const std::uint64_t most = work.feature_bytes;
  while (memory_need(model, work).total() > limit) {
    if (work.feature_bytes == kLeastFeatures) {
      work.feature_bytes = most;
      return false;
    }
    work.feature_bytes = std::max(kLeastFeatures, work.feature_bytes / 2);
  }
  return true;
}

std::uint64_t least_need(const ModelFacts& model, WorkSize work, const Options& options) {
  std::uint64_t least = ~std::uint64_t{0};
  work.feature_bytes = kLeastFeatures;
  work.windows = batches_of(work.windows).back();
  for (const Precision precision : precisions_of(options)) {
    work.precision = precision;
    least = std::min(least, memory_need(model, work).total());
  }
  return least;
}

void take(const WorkSize& work, Options& options) {
  const std::string reason = "--memory-limit";
  std::vector<Chosen>& chosen = options.choices.options;
  if (options.device.cpu_precision == "auto") {
    const std::string name(models::precision_name(work.precision));
    options.device.cpu_precision = name;
    chosen.push_back({"--precision", name, reason});
  }
  if (work.windows < options.transcribe.batch_size) {
    options.transcribe.batch_size = work.windows;
    std::erase_if(chosen, [](const Chosen& each) { return each.option == "--batch-size"; });
    chosen.push_back({"--batch-size", std::to_string(work.windows), reason});
  }
  options.transcribe.feature_bytes = work.feature_bytes;
  options.device.memory_limit.reset();  // there is no NPU to bound
}

}  // namespace

WorkSize work_of(const Options& options, std::size_t threads) {
  const TranscribeOptions& transcribe = options.transcribe;
  const bool samples =
      transcribe.temperature > 0 || transcribe.temperature_increment_on_fallback.has_value() ||
      std::ranges::any_of(transcribe.temperatures, [](double each) { return each > 0; });
  WorkSize work;
  work.precision = precisions_of(options).front();
  work.threads = threads;
  work.windows = transcribe.batch_size;
  work.beams = transcribe.beam_size;
  work.sequences = std::max(transcribe.beam_size, samples ? transcribe.best_of : 1);
  work.has_words = transcribe.word_timestamps;
  work.has_prefix = !transcribe.prefix.empty();
  work.has_vad = transcribe.vad.enabled;
  work.feature_bytes = transcribe.feature_bytes;
  return work;
}

void fit_memory(const ModelFacts& model, const ThreadCounts& threads, Options& options) {
  const std::uint64_t limit = *options.device.memory_limit;
  WorkSize work = work_of(options, threads.used);
  options.choices.memory_limit = limit;
  const std::vector<Precision> precisions = precisions_of(options);
  for (const Precision precision : precisions) {
    work.precision = precision;
    work.threads = precision == precisions.back() ? threads.used : threads.most;
    for (const std::size_t windows : batches_of(options.transcribe.batch_size)) {
      work.windows = windows;
      if (!fits(model, limit, work)) continue;
      work.threads = threads.used;
      options.choices.memory_estimate = memory_need(model, work).total();
      return take(work, options);
    }
  }
  throw Error(ErrorCode::resources,
              "--memory-limit: expected at least " +
                  size_of(least_need(model, work_of(options, threads.used), options)) +
                  " for this model and these options, found " + std::to_string(limit) + " bytes");
}

}  // namespace wnpu::app
