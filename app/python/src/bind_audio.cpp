#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <span>
#include <utility>
#include <vector>

#include "app/engine/whisper_npu.hpp"
#include "app/python/src/bindings.h"
#include "app/python/src/interpreter_lock.h"
#include "audio/vad/silero_vad.h"

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
  callbacks.should_stop = [] {
    const WithInterpreter locked;
    return PyErr_Occurred() != nullptr || PyErr_CheckSignals() != 0;
  };
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

using Int16Samples = nb::ndarray<const std::int16_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

float to_float(std::int16_t sample) { return static_cast<float>(sample) / 32768; }

// Of speech, for each 32 ms of 16 kHz audio.
std::vector<float> speech_of(std::span<const std::int16_t> left, const std::string& weights) {
  std::vector<float> found;
  audio::SileroVad detector(weights);
  std::array<float, 64 * audio::SileroVad::kBlockSamples> block{};
  while (!left.empty()) {
    const std::size_t n = std::min(left.size(), block.size());
    std::ranges::transform(left.first(n), block.begin(), to_float);
    detector.push(std::span(block).first(n));
    std::ranges::copy(detector.take(), std::back_inserter(found));
    left = left.subspan(n);
  }
  std::ranges::copy(detector.finish(), std::back_inserter(found));
  return found;
}

Decoded speech_probabilities(const Int16Samples& samples, const std::string& weights) {
  std::vector<float> found;
  {
    const WithoutInterpreter unlocked;
    found = speech_of({samples.data(), samples.size()}, weights);
  }
  return to_array(std::move(found));
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
  module.def("speech_probabilities", &speech_probabilities, nb::arg("samples"), nb::arg("weights"));
}

}  // namespace wnpu::python
