// Whisper's text decoder: EncoderStates and tokens -> logits.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "decoder/model/cross_attention.h"
#include "decoder/model/kv_cache.h"
#include "decoder/model/packed_decoder.h"
#include "decoder/model/vocabulary_projection.h"
#include "models/base/dims.h"
#include "models/base/stages.h"
#include "models/base/tensor.h"
#include "models/base/thread_pool.h"
#include "models/kernels/products/linear.h"

namespace wnpu::decoder {

// Raw cross-attention scores (before the softmax) of chosen heads, for word timestamps: of a step
// whose rows listen to one window.
struct AttentionCapture {
  std::vector<std::pair<int, int>> heads;  // (layer, head)
  std::vector<models::Matrix> scores;      // a head: [rows of the step, the window's rows]
};

// One token to take in.
struct StepRow {
  std::size_t sequence = 0;  // of the KvCache
  models::TokenId token = 0;
  bool wants_logits = false;
  const CrossKv* window = nullptr;  // what the sequence listens to
};

class Decoder {
 public:
  // `weights` and `pool` must outlive the decoder.
  Decoder(const PackedDecoder& weights, models::ThreadPool& pool);

  const models::Dims& dims() const { return dims_; }
  // For other work between the calls here.
  models::ThreadPool& pool() { return pool_; }

  // Cross-attention keys and values of every layer for `states` [at most n_audio_ctx,
  // n_audio_state]. `out` keeps its memory where it has the right size.
  void cross_kv(const models::EncoderStates& states, CrossKv& out);

  // Takes in `rows` in order: each is appended to its sequence and attends to all before it, rows
  // of this call included, so that a prompt is one call. logits [rows that want them, n_vocab].
  // `tap`, where given, receives the scores of its heads. Throws std::length_error for more than
  // n_text_ctx rows, and where a sequence would become longer than that.
  void step(KvCache& cache, std::span<const StepRow> rows, models::MatrixView logits,
            AttentionCapture* tap = nullptr);

 private:
  using Layer = PackedDecoderLayer;
  void make_room(std::size_t n_rows);
  // Pool rows of a step: for each row the one of its key and value, and those it attends to.
  struct Places {
    std::vector<std::size_t> row;     // of the pool
    std::vector<std::size_t> length;  // of its sequence, the row included
    std::vector<std::span<const std::uint32_t>> past;
  };
  // Consecutive rows that listen to the same window.
  struct Group {
    std::size_t first = 0;
    std::size_t count = 0;
    const CrossKv* window = nullptr;
  };

  // Rows whose scores against a window are made together.
  static constexpr std::size_t kGroupRows = 16;
  // Frames whose keys and values are made together.
  static constexpr std::size_t kCrossRows = 48;

  void embed(std::span<const StepRow> rows, std::span<const std::size_t> lengths);
  void self_attention(std::size_t layer, KvCache& cache, std::span<const StepRow> rows,
                      const Places& places);
  void scale_queries(std::span<float> queries) const;
  // Self-attention of one head, for one row of the step.
  void attend_to_past(const KvCache& cache, const KvCache::Past& past, std::size_t row,
                      std::span<float> room);
  void cross_attention(std::size_t layer, std::span<const Group> groups, AttentionCapture* tap);
  void record_scores(std::size_t layer, std::span<const Group> groups, AttentionCapture& tap);
  // The part of a head, for the rows of a group.
  models::MatrixView head_of(models::Matrix& m, std::size_t head, const Group& group) const;
  const CrossHead& of_window(const Group& group, std::size_t layer, std::size_t head) const {
    return group.window->heads()[layer * dims_.n_text_head + head];
  }
  void mlp(std::size_t layer);
  void linear(models::ConstMatrixView x, const kernels::Linear& w, kernels::Finish finish,
              models::MatrixView y);
  void project(std::span<const StepRow> rows, models::MatrixView logits);
  static std::vector<Group> group_by_window(std::span<const StepRow> rows);

  const PackedDecoder& weights_;
  const models::Dims& dims_;
  models::ThreadPool& pool_;
  VocabularyProjection vocabulary_;
  std::size_t head_size_;
  std::size_t n_rows_ = 0;  // of the present step
  // Scratch for one step, [as many as the most in a step so far, n_text_state] unless said
  // otherwise.
  models::Matrix x_, normed_, q_, wv_;
  models::Matrix qkv_;     // [.., 3 n_text_state]
  models::Matrix hidden_;  // [.., 4 n_text_state]
  kernels::Linear::Scratch scratch_;
  std::vector<models::Matrix> kv_;  // a thread: [rows of a block, 2 n_text_state], for cross_kv
  std::vector<kernels::Linear::Scratch>
      kv_scratch_;                                 // a thread: the states of a block, for cross_kv
  std::vector<std::vector<float>> scores_;         // a thread: [n_text_ctx]
  std::vector<CrossHead::Scratch> cross_scratch_;  // a thread
};

}  // namespace wnpu::decoder
