#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "app/engine/model_path.h"
#include "app/engine/whisper_npu.hpp"
#include "app/python/src/bindings.h"
#include "app/python/src/interpreter_lock.h"
#include "audio/vad/silero_vad.h"
#include "audio/vad/speech_regions.h"

namespace nb = nanobind;

namespace wnpu::python {
namespace {

using Decoded = nb::ndarray<nb::numpy, float, nb::ndim<1>>;

Decoded to_array(std::vector<float>&& samples) {
  auto* const kept = new std::vector<float>(std::move(samples));
  const nb::capsule owner(
      kept, [](void* pointer) noexcept { delete static_cast<std::vector<float>*>(pointer); });
  return Decoded(kept->data(), {kept->size()}, owner);
}

// The samples that the engine hears, and what a reader remarked.
std::pair<std::vector<float>, std::vector<std::string>> heard(const Audio& audio) {
  std::pair<std::vector<float>, std::vector<std::string>> found;
  Callbacks callbacks;
  callbacks.on_samples = [&found](std::span<const float> samples) {
    found.first.insert(found.first.end(), samples.begin(), samples.end());
  };
  callbacks.should_stop = &signal_came;
  found.second = read_audio(audio, callbacks).warnings;
  return found;
}

nb::tuple decode(const Audio& audio) {
  std::pair<std::vector<float>, std::vector<std::string>> found;
  try {
    const WithoutInterpreter unlocked;
    found = heard(audio);
  } catch (const Error&) {
    if (PyErr_Occurred() != nullptr) throw nb::python_error();
    throw;
  }
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  return nb::make_tuple(to_array(std::move(found.first)), std::move(found.second));
}

template <typename Sample>
using MonoOf = nb::ndarray<const Sample, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

float to_float(std::int16_t sample) { return static_cast<float>(sample) / 32768; }
float to_float(float sample) { return sample; }

// Probabilities of speech, for each 32 ms of 16 kHz audio.
template <typename Sample>
std::vector<float> speech_of(std::span<const Sample> left, const std::string& weights) {
  std::vector<float> found;
  audio::SileroVad detector(weights);
  std::array<float, 64 * audio::SileroVad::kBlockSamples> block{};
  while (!left.empty()) {
    const std::size_t n = std::min(left.size(), block.size());
    std::ranges::transform(left.first(n), block.begin(), [](Sample s) { return to_float(s); });
    detector.push(std::span(block).first(n));
    std::ranges::copy(detector.take(), std::back_inserter(found));
    left = left.subspan(n);
  }
  std::ranges::copy(detector.finish(), std::back_inserter(found));
  return found;
}

template <typename Sample>
std::vector<float> speech_in(const MonoOf<Sample>& samples, const std::string& weights) {
  const WithoutInterpreter unlocked;
  return speech_of(std::span<const Sample>(samples.data(), samples.size()), weights);
}

// First samples of stretches of speech, and those behind them.
std::vector<std::pair<std::size_t, std::size_t>> speech_stretches(const MonoOf<float>& samples,
                                                                  const VadOptions& wanted) {
  audio::VadOptions options{.threshold = wanted.threshold,
                            .neg_threshold = wanted.neg_threshold,
                            .min_speech_duration_ms = wanted.min_speech_duration_ms,
                            .speech_pad_ms = wanted.speech_pad_ms};
  const auto set = [](double& option, const std::optional<double>& value) {
    if (value) option = *value;
  };
  set(options.max_speech_duration_s, wanted.max_speech_duration_s);
  set(options.min_silence_duration_ms, wanted.min_silence_duration_ms);
  const std::string weights =
      wanted.weights.empty() ? app::vad_weights_file().string() : wanted.weights;
  const auto regions = audio::speech_regions(speech_in(samples, weights), samples.size(), options);
  std::vector<std::pair<std::size_t, std::size_t>> found;
  for (const auto& [start, end] : audio::pad_regions(regions, samples.size(), options)) {
    found.emplace_back(start, end);
  }
  return found;
}

}  // namespace

void bind_audio(nb::module_& module) {
  module.def(
      "decode", [](const nb::str& path) { return decode({.path = path_bytes(path)}); },
      nb::arg("path"));
  module.def(
      "decode",
      [](const nb::bytes& bytes) {
        Audio audio;
        audio.bytes = {static_cast<const std::byte*>(bytes.data()), bytes.size()};
        return decode(audio);
      },
      nb::arg("bytes"));
  module.def(
      "speech_probabilities",
      [](const MonoOf<std::int16_t>& samples, const std::string& weights) {
        return to_array(speech_in(samples, weights));
      },
      nb::arg("samples"), nb::arg("weights"));
  module.def("vad_weights_file", [] { return path_text(app::vad_weights_file().string()); });
  module.def("speech_stretches", &speech_stretches, nb::arg("samples"), nb::arg("options"));
}

}  // namespace wnpu::python
