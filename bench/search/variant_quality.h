// Word errors of variants of a model's encoder: the variant cut out of its weights, transcripts
// through the engine, compared with what somebody has written down.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/engine/loaded_model.h"
#include "bench/input/references.h"
#include "npu/search/report.h"

namespace wnpu::bench {

class VariantQuality {
 public:
  // References in English, the first `most_recordings` of them; 0: all. Throws UsageError where
  // there are none, and where the normaliser is missing.
  VariantQuality(const std::filesystem::path& references, std::size_t most_recordings,
                 unsigned threads);

  std::size_t n_recordings() const { return files_.size(); }
  // The recordings are read in English, greedily, a window by itself and at temperature 0 alone:
  // what a damaged encoder makes of them is not tried again. Throws AudioError.
  npu::MeasuredQuality measure(const std::shared_ptr<const app::LoadedModel>& model,
                               const npu::EncoderVariant& variant) const;

 private:
  References references_;
  std::vector<std::string> files_;
  unsigned threads_;
};

}  // namespace wnpu::bench
