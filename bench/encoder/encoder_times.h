// An encoder measured on the CPU in parts, through the classes that transcribe uses.
#pragma once

#include <cstddef>
#include <string>

#include "bench/core/figure.h"
#include "models/base/dims.h"
#include "models/base/thread_pool.h"
#include "models/weights/precision.h"
#include "models/weights/weights.h"

namespace wnpu::bench {

// Encoder that is measured, with a model's weights, or random ones in its shapes.
struct EncoderUnderTest {
  std::string name;                // "base"
  std::string weights;             // "random", or "from base.bin"
  models::Dims dims;               // of the whole model
  models::EncoderWeights encoder;  // may hold fewer layers than dims: all cost the same
  models::Precision precision = models::auto_precision();  // of its layers on the CPU
  // "2 of 32 layers, scaled"; empty where all are there.
  std::string scaling() const;
};

// A name of model_sizes.h: its file in the cache folder where there is one, else random weights of
// at most `most_layers` layers. Throws app::UsageError for other names, ModelError for a bad file.
EncoderUnderTest encoder_of_size(const std::string& name, std::size_t most_layers);
// A model file, of which at most `most_layers` layers are kept.
EncoderUnderTest encoder_of_model(const std::string& name_or_path, std::size_t most_layers);

struct BenchOptions;
// Encoder that the options name: --size, else --model.
EncoderUnderTest encoder_asked_for(const BenchOptions& options, std::size_t most_layers);

// All layers over the first `frames` positions of a window, seconds.
Summary time_layers(const EncoderUnderTest& model, std::size_t frames, models::ThreadPool& pool,
                    const TimingEffort& effort = {});
// Seconds of the parts that every plan leaves to the CPU: convolutions before the layers, LayerNorm
// after them.
double time_stem_and_norm(const EncoderUnderTest& model, models::ThreadPool& pool,
                          const TimingEffort& effort = {});

}  // namespace wnpu::bench
