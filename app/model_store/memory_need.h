// How much memory of the host a transcription on the CPU takes at most, from the model's dims and
// the options: no weight is read for it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "models/base/dims.h"
#include "models/files/model_file.h"
#include "models/weights/precision.h"

namespace wnpu::app {

inline constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

// Facts of a model file that decide how much memory it takes.
struct ModelFacts {
  models::Dims dims;
  // Pages of the file that are in memory at once, at most.
  std::uint64_t file_bytes = 0;
  // Whether its decoder's matrices are fp16 numbers, and stay so in fp32.
  bool is_f16 = false;
  std::size_t n_alignment_heads = 0;
};
ModelFacts facts_of(const models::ModelFile& file);

// Size of the work, which decides how much memory a run takes.
struct WorkSize {
  models::Precision precision = models::Precision::fp32;
  std::size_t threads = 1;
  std::size_t windows = 1;    // that are decoded together
  std::size_t sequences = 1;  // of a window: beams or candidates, whichever are more
  std::size_t beams = 1;
  bool has_words = false;  // word timestamps
  bool has_prefix = false;
  bool has_vad = false;
  std::uint64_t feature_bytes = 0;  // of log-mel that is kept
};

// Resident bytes, by what they are for.
struct MemoryNeed {
  std::uint64_t process = 0;   // program, libraries, vocabulary, stacks
  std::uint64_t file = 0;      // pages of the model's file
  std::uint64_t weights = 0;   // packed here, or mapped from a packed file
  std::uint64_t session = 0;   // the encoder's and decoder's working memory
  std::uint64_t windows = 0;   // log-mel, states, keys and values of windows
  std::uint64_t search = 0;    // keys, values and logits of sequences
  std::uint64_t features = 0;  // log-mel that is kept between the passes

  std::uint64_t total() const;
};
MemoryNeed memory_need(const ModelFacts& model, const WorkSize& work);

}  // namespace wnpu::app
