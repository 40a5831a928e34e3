// How far a variant's states are from the whole encoder's, in one window of a recording.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "app/engine/loaded_model.h"
#include "models/base/stages.h"
#include "models/base/thread_pool.h"
#include "npu/search/encoder_variant.h"

namespace wnpu::bench {

class StatesLoss {
 public:
  // The first 30 s of the recording. Throws AudioError.
  StatesLoss(std::shared_ptr<const app::LoadedModel> model, const std::filesystem::path& recording,
             unsigned threads);

  // Loss of each variant: the squared difference of its states behind the last LayerNorm, as a
  // share of the whole encoder's square. No result depends on the threads.
  std::vector<double> operator()(std::span<const npu::EncoderVariant> variants);

 private:
  models::EncoderStates states_of(const npu::EncoderVariant& variant);

  std::shared_ptr<const app::LoadedModel> model_;
  models::ThreadPool pool_;
  models::LogMel mel_;
  models::EncoderStates whole_;
};

}  // namespace wnpu::bench
