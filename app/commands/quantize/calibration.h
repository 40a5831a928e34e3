// Input samples of a model's products, taken while it transcribes recordings.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/quantize/calibrate.h"

namespace wnpu::app {

// In fp32, greedily. Throws AudioError for a recording that cannot be read or in which nothing is
// said, ModelError. No result depends on the threads.
models::ProductInputs inputs_on(const std::shared_ptr<const models::ModelFile>& model,
                                const std::vector<std::string>& recordings, unsigned threads);

}  // namespace wnpu::app
