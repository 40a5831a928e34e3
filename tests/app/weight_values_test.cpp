// Weights of values that no training gives: a model is refused by its tensor's name, or runs.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/few_samples.h"
#include "tests/nano/nano_ctranslate2.h"
#include "tests/nano/nano_model.h"
#include "tests/support/model_run.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/wav_file.h"

using namespace wnpu;  // NOLINT

namespace {

using Limits = std::numeric_limits<float>;

constexpr std::array<float, 7> kValues = {
    Limits::quiet_NaN(), -Limits::infinity(),  Limits::infinity(), 0.0F,
    Limits::max(),       Limits::denorm_min(), Limits::lowest()};
constexpr std::size_t kNoNumbers = 3;  // of them
constexpr std::array<models::Precision, 3> kAllPrecisions = {
    models::Precision::fp32, models::Precision::int16, models::Precision::int8};

tests::NanoModel one_layer_each() {
  tests::NanoSpec spec;
  spec.dims.n_audio_state = spec.dims.n_text_state = 32;
  spec.dims.n_audio_layer = spec.dims.n_text_layer = 1;
  return tests::make_nano_model(spec);
}

class Trial {
 public:
  // A value that is no number: one element alone has it; any other: the whole tensor.
  void check(const std::string& name, std::size_t value, models::Precision precision) {
    INFO(name, " of ", kValues[value], ", precision ", static_cast<int>(precision));
    std::vector<float>& values = model_.tensors.at(name).values;
    const std::vector<float> good = values;
    if (value < kNoNumbers) {
      values.back() = kValues[value];
    } else {
      std::ranges::fill(values, kValues[value]);
    }
    write(as_ctranslate2(), folder_.path() / "model");
    values = good;
    const std::string said = tests::refusal_of(folder_.path() / "model", audio_, precision);
    CAPTURE(said);
    if (value < kNoNumbers) {
      CHECK(said.find(name + ": expected finite values, found ") != std::string::npos);
    } else {
      CHECK(said.empty());
    }
  }

  const tests::NanoModel& model() const { return model_; }

 private:
  // The vocabulary takes longer to spell than all weights to write: once is enough.
  tests::Ct2Model as_ctranslate2() {
    tests::Ct2Model model = to_ctranslate2(model_, tests::Ct2Quantization::float32);
    if (vocabulary_.empty()) vocabulary_ = model.vocabulary;
    model_.token_bytes.clear();
    model.vocabulary = vocabulary_;
    return model;
  }

  tests::NanoModel model_ = one_layer_each();
  std::string vocabulary_;
  tests::TemporaryFolder folder_;
  std::filesystem::path audio_ = folder_.make_file("tone.wav", tests::wav_of_tone(1));
};

}  // namespace

// All values in all precisions take minutes: WNPU_ALL_VALUES=1 asks for them.
TEST_CASE("weights: each tensor with NaN, infinity, zeros, denormals, the largest numbers") {
  Trial trial;
  const bool all = std::getenv("WNPU_ALL_VALUES") != nullptr;
  std::size_t turn = 0;
  const std::size_t step = wnpu::tests::kFewSamples ? 11 : 1;  // no divisor of the turns below
  for (const auto& [name, tensor] : trial.model().tensors) {
    if (++turn % step != 0) continue;
    if (all) {
      for (std::size_t value = 0; value < kValues.size(); ++value) {
        for (const models::Precision precision : kAllPrecisions)
          trial.check(name, value, precision);
      }
    } else {
      trial.check(name, turn % kNoNumbers, kAllPrecisions[turn / 3 % 3]);
      trial.check(name, kNoNumbers + turn % 4, kAllPrecisions[turn % 3]);
    }
  }
}
