#include "app/model_store/memory_need.h"

#include <algorithm>
#include <string>

#include "audio/mel/mel_source.h"
#include "decoder/text/alignment.h"
#include "models/kernels/operands/packed_b.h"

namespace wnpu::app {
namespace {

using kernels::DataType;
using models::Dims;
using models::Precision;

constexpr std::uint64_t kFloat = sizeof(float);

// Measured (tests/program/memory_fit_test.py): the program, FFmpeg's libraries, a vocabulary while
// its file is read.
constexpr std::uint64_t kProcess = 56 * kMiB;
constexpr std::uint64_t kThread = kMiB;        // stack, and what its allocator keeps
constexpr std::uint64_t kDetector = 8 * kMiB;  // weights and network
constexpr std::uint64_t kReading = 4 * kMiB;   // samples on their way to log-mel
// Allocator's loss between pieces: one in so many bytes of all that is allocated.
constexpr std::uint64_t kPartLost = 32;

// Rows at work together in the encoder and in a step of the decoder (encoder/cpu/cpu_arithmetic.h,
// encoder/stem.cpp, decoder/model/decoder.h), at most.
constexpr std::uint64_t kEncoderRows = 48;
constexpr std::uint64_t kStemStates = 64;
constexpr std::uint64_t kCrossRows = 48;

// Around a prompt: the start of the transcript, its language and task.
constexpr std::uint64_t kSpecialTokens = 8;

// A right side with the scales and sums of its columns.
std::uint64_t side(DataType number, std::size_t k, std::size_t n) {
  return kernels::PackedB::bytes_of(number, k, n) + 4 * kFloat * n;
}

std::uint64_t encoder_weights(const Dims& dims, Precision precision) {
  const std::size_t d = dims.n_audio_state;
  const DataType number = models::number_of(precision);
  const auto attention = [d](DataType each) { return side(each, d, 3 * d) + side(each, d, d); };
  const std::uint64_t mlp = side(number, d, 4 * d) + side(number, 4 * d, d);
  const std::uint64_t layer = attention(number) + mlp + 16 * d * kFloat;
  const std::uint64_t finer = attention(models::first_number_of(precision)) - attention(number);
  return side(DataType::f32, 3 * dims.n_mels, d) + side(DataType::f32, 3 * d, d) + finer +
         dims.n_audio_ctx * d * kFloat + dims.n_audio_layer * layer;
}

std::uint64_t decoder_weights(const ModelFacts& model, Precision precision) {
  const Dims& dims = model.dims;
  const std::size_t d = dims.n_text_state;
  const bool is_fp32 = precision == Precision::fp32;
  DataType number = models::number_of(precision);
  if (is_fp32 && model.is_f16) number = DataType::f16;
  const std::uint64_t layer = side(number, d, 3 * d) + 3 * side(number, d, d) +
                              side(number, d, 2 * d) + side(number, d, 4 * d) +
                              side(number, 4 * d, d) + 24 * d * kFloat;
  const std::size_t special = dims.n_vocab - dims.n_text_tokens();
  return side(is_fp32 ? DataType::i8 : DataType::u4, d, dims.n_text_tokens()) +
         side(model.is_f16 ? DataType::f16 : DataType::f32, d, special) +
         dims.n_text_ctx * d * kFloat + dims.n_text_layer * layer;
}

// Memory of encoder and decoder, for windows of any kind.
std::uint64_t session(const Dims& dims, const WorkSize& work) {
  const std::uint64_t ctx = dims.n_audio_ctx;
  const std::uint64_t d = dims.n_audio_state;
  const std::uint64_t text = dims.n_text_state;
  const bool is_bytes = models::multiplies_bytes(work.precision);
  // Keys and values of a layer, the residual stream, queries, the states that come out.
  const std::uint64_t encoder =
      ctx * d * (kFloat * 4 + (is_bytes ? kFloat + 3 : 2 * kFloat)) + 2 * ctx * kFloat * d / 32;
  const std::uint64_t of_encoder_thread = kEncoderRows * (12 * d + 3 * ctx) * kFloat;
  const std::uint64_t of_stem_thread = (2 * kStemStates + 3) * (2 * dims.n_mels + 3 * d) * kFloat;
  const std::uint64_t of_decoder_thread = kCrossRows * (6 * text + 3 * ctx) * kFloat;
  // A prompt is one step, and so are those of several windows, one with a prefix, and a text
  // that words are aligned to.
  const bool is_long = work.windows > 1 || work.has_words || work.has_prefix;
  const std::uint64_t rows = is_long ? dims.n_text_ctx : dims.n_text_ctx / 2 + kSpecialTokens;
  const std::uint64_t step = rows * (work.precision == Precision::int8 ? 20 : 16) * text * kFloat;
  return encoder + step + work.threads * (of_encoder_thread + of_stem_thread + of_decoder_thread);
}

// Memory of one window: its log-mel, and the keys and values that its tokens attend to.
std::uint64_t window(const Dims& dims, Precision precision) {
  const std::size_t head = dims.n_text_state / dims.n_text_head;
  DataType number = precision == Precision::int8 ? DataType::i8 : DataType::f16;
  if (precision == Precision::fp32) number = DataType::f32;
  const std::uint64_t cross = side(number, head, dims.n_audio_ctx) +
                              side(number, dims.n_audio_ctx, head) + 4 * kFloat * dims.n_audio_ctx;
  return dims.n_text_layer * dims.n_text_head * cross + dims.n_mels * audio::kWindowFrames * kFloat;
}

std::uint64_t search(const ModelFacts& model, const WorkSize& work) {
  const Dims& dims = model.dims;
  const std::uint64_t number = work.precision == Precision::fp32 ? kFloat : 2;
  const std::uint64_t n = work.windows * work.sequences;
  const std::uint64_t past = 2 * dims.n_text_layer * dims.n_text_ctx * dims.n_text_state * number;
  const std::uint64_t logits = 2 * dims.n_vocab * kFloat;
  std::uint64_t bytes = n * (past + logits);
  // One that was too small for candidates may lie in the allocator's heap until it is used again.
  if (work.sequences > work.beams) bytes += std::min(work.windows * work.beams * past, 32 * kMiB);
  if (work.has_words) {
    const std::uint64_t scores = model.n_alignment_heads * dims.n_text_ctx * dims.n_audio_ctx;
    bytes += (dims.n_text_ctx * dims.n_vocab + 3 * scores) * kFloat;
  }
  return bytes;
}

}  // namespace

ModelFacts facts_of(const models::ModelFile& file) {
  ModelFacts facts;
  facts.dims = file.dims();
  facts.is_f16 = true;
  facts.n_alignment_heads = decoder::alignment_heads(file.dims(), file.config()).size();
  // A matrix is read as a whole and then given back, but for the embedding, whose rows are looked
  // at again.
  std::uint64_t largest = 0;
  std::uint64_t all = 0;
  for (const auto& [name, tensor] : file.tensors()) {
    const std::uint64_t bytes = tensor.bytes.size();
    all += bytes;
    if (tensor.shape.size() > 1 && tensor.dtype != models::DType::f16) facts.is_f16 = false;
    if (name == "decoder.token_embedding.weight") {
      facts.file_bytes += bytes;
    } else {
      largest = std::max(largest, bytes);
    }
  }
  facts.file_bytes = std::min(all, facts.file_bytes + 4 * largest);
  // Vocabulary matrix of a packed file: copied out of it, so that it is in memory twice.
  if (file.origin() != nullptr)
    facts.file_bytes += side(DataType::i8, facts.dims.n_text_state, facts.dims.n_vocab);
  return facts;
}

std::uint64_t MemoryNeed::total() const {
  const std::uint64_t all = weights + session + windows + search + features;
  return process + file + all + all / kPartLost;
}

MemoryNeed memory_need(const ModelFacts& model, const WorkSize& work) {
  const Dims& dims = model.dims;
  MemoryNeed need;
  need.process = kProcess + work.threads * kThread;
  need.file = model.file_bytes;
  need.weights = encoder_weights(dims, work.precision) + decoder_weights(model, work.precision);
  need.session = session(dims, work) + (work.has_vad ? kDetector : 0);
  need.windows = work.windows * window(dims, work.precision);
  need.search = search(model, work);
  need.features = work.feature_bytes + kReading +
                  2 * dims.n_mels * audio::kWindowFrames * kFloat;  // of the second pass
  return need;
}

}  // namespace wnpu::app
