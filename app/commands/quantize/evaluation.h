// Recordings that a quantised model is fitted to, and tried on beside the model that it was made
// of.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "app/jobs/manifest/word_errors.h"
#include "models/files/model_file.h"
#include "models/quantize/calibrate.h"
#include "models/weights/precision.h"

namespace wnpu::app {

// A model on the recordings.
struct Accuracy {
  ErrorCounts words;  // of recordings with a text beside them
  double cpu_s = 0;   // processor time, of this process
  double wall_s = 0;  // by the clock
};

struct Evaluation {
  std::size_t n_recordings = 0;
  std::size_t n_same_text = 0;   // but for white space
  std::size_t n_references = 0;  // recordings with a text beside them
  double audio_s = 0;
  models::Precision precision = models::Precision::fp32;  // of `after`
  Accuracy before;                                        // in fp32
  Accuracy after;
};

// Greedily, one recording after the other. What is said in a.wav stands in a.txt, where that is
// there. Throws AudioError, ModelError, UsageError for a text that cannot be read.
Evaluation evaluate(const std::shared_ptr<const models::ModelFile>& before,
                    const std::shared_ptr<const models::ModelFile>& after,
                    models::Precision precision, const std::vector<std::string>& recordings,
                    unsigned threads);

// Input samples of a model's products, taken while it transcribes recordings: in fp32, greedily.
// Throws AudioError for a recording that cannot be read or in which nothing is said, ModelError. No
// result depends on the threads.
models::ProductInputs inputs_on(const std::shared_ptr<const models::ModelFile>& model,
                                const std::vector<std::string>& recordings, unsigned threads);

}  // namespace wnpu::app
