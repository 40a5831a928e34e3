// Stage parity with openai-whisper on jfk.wav, real weights: tests/data/jfk.
#include <string>

#include <doctest/doctest.h>

#include "encoder/cpu/cpu_layer_backend.h"
#include "encoder/encoder.h"
#include "encoder/stem.h"
#include "models/kernels/vectors/instruction_set.h"
#include "models/weights/weights.h"
#include "tests/support/difference.h"
#include "tests/support/first_window.h"
#include "tests/support/jfk_reference.h"
#include "tests/support/product_reference.h"
#include "tests/support/tolerances.h"

using namespace wnpu;  // NOLINT
using tests::nmse;

namespace {

// Issue of record: fp32 against fp32 must agree to an NMSE of 1e-6 at every stage. The stem and
// the layers are stored as f16, whose rounding alone is about 1e-7.
constexpr double kStageNmse = 1e-6;

// The positions that the reference has.
models::Matrix kept(const models::Matrix& states) {
  return tests::every_row(states.view(), tests::kEveryPosition);
}

// jfk's first window and what encodes it.
struct JfkWindow {
  explicit JfkWindow(const tests::JfkReference& jfk)
      : dims(jfk.file->dims()),
        weights(models::load_encoder_weights(*jfk.file)),
        mel(tests::first_window(jfk.recording, dims.n_mels)) {}

  models::Matrix stem_states(const encoder::PackedStemAndNorm& ends) {
    encoder::Stem stem(ends, pool.n_threads());
    models::Matrix states(dims.n_audio_ctx, dims.n_audio_state);
    stem.run(pool, mel, states.view());
    return states;
  }

  const models::Dims& dims;
  models::EncoderWeights weights;
  models::LogMel mel;
  models::ThreadPool pool{2};
};

}  // namespace

TEST_CASE("encoder: integers keep to openai-whisper's states on jfk") {
  const auto jfk = tests::jfk_reference();
  if (!jfk) return;
  JfkWindow window(*jfk);
  const auto golden = tests::data_matrix("jfk/states.npy");
  for (const auto& [precision, limit] :
       {std::pair(models::Precision::int16, tests::tolerance::kInt16StatesNmse),
        std::pair(models::Precision::int8, kernels::has_byte_products()
                                               ? tests::tolerance::kByteStatesNmse
                                               : tests::tolerance::kInt8StatesNmse)}) {
    const encoder::CpuLayers layers(precision, window.dims,
                                    models::tensors_of(window.weights.layers), window.pool);
    const auto backend = layers.make_backend(window.pool);
    const encoder::PackedStemAndNorm ends(window.dims, window.weights, window.pool, precision);
    encoder::Encoder encoder(ends, *backend, window.pool);
    models::EncoderStates out;
    encoder.encode(window.mel, out);
    const double found = nmse(kept(out.values).flat(), golden.flat());
    MESSAGE(models::precision_name(precision), ": NMSE ", found);
    CHECK(found < limit);
  }
}

TEST_CASE("encoder: int8's stem keeps to openai-whisper's on every instruction set") {
  const auto jfk = tests::jfk_reference();
  if (!jfk) return;
  JfkWindow window(*jfk);
  const auto golden = tests::data_matrix("jfk/stem.npy");
  tests::on_every_instruction_set([&] {
    if (kernels::instruction_set() == kernels::InstructionSet::scalar) return;  // minutes
    const encoder::PackedStemAndNorm ends(window.dims, window.weights, window.pool,
                                          models::Precision::int8);
    const double found = nmse(kept(window.stem_states(ends)).flat(), golden.flat());
    MESSAGE(kernels::instruction_set_name(), ": NMSE ", found);
    CHECK(found < kStageNmse);
  });
}

TEST_CASE("encoder: stem, each layer and the final states agree with openai-whisper on jfk") {
  const auto jfk = tests::jfk_reference();
  if (!jfk) return;
  JfkWindow window(*jfk);

  const encoder::PackedStemAndNorm ends(window.dims, window.weights, window.pool);
  models::Matrix states = window.stem_states(ends);
  CHECK(nmse(kept(states).flat(), tests::data_matrix("jfk/stem.npy").flat()) < kStageNmse);

  const encoder::CpuLayers layers(models::Precision::fp32, window.dims,
                                  models::tensors_of(window.weights.layers), window.pool);
  const auto backend = layers.make_backend(window.pool);
  backend->load(states.view());
  for (std::size_t layer = 0; layer < backend->n_layers(); ++layer) {
    backend->run_layer(layer);
    backend->store(states.view());
    const auto golden = tests::data_matrix("jfk/layer_" + std::to_string(layer) + ".npy");
    CHECK_MESSAGE(nmse(kept(states).flat(), golden.flat()) < kStageNmse, "layer ", layer);
  }

  encoder::Encoder encoder(ends, *backend, window.pool);
  models::EncoderStates out;
  encoder.encode(window.mel, out);
  CHECK(nmse(kept(out.values).flat(), tests::data_matrix("jfk/states.npy").flat()) < kStageNmse);
}
