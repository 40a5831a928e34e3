#include "bench/search/variant_model.h"

#include <string>

#include "app/options/exit_code.h"
#include "npu/design/layer_abi.h"

namespace wnpu::bench {

std::shared_ptr<const app::LoadedModel> load_variant_model(const std::filesystem::path& path,
                                                           unsigned threads) {
  auto model = std::make_shared<const app::LoadedModel>(path, models::Precision::fp32, threads);
  const models::Dims& dims = model->dims();
  if (dims.n_audio_head * npu::kHeadWidth == dims.n_audio_state) return model;
  throw app::UsageError("--model: " + path.string() +
                        ": expected attention heads of 64, which the array is made for, found " +
                        std::to_string(dims.n_audio_state / dims.n_audio_head));
}

}  // namespace wnpu::bench
