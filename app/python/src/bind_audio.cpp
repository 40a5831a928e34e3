#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <span>
#include <utility>
#include <vector>

#include "app/engine/whisper_npu.hpp"
#include "app/python/src/bindings.h"

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
    const nb::gil_scoped_acquire acquire;
    return PyErr_Occurred() != nullptr || PyErr_CheckSignals() != 0;
  };
  found.second = read_audio(audio, callbacks).warnings;
  return found;
}

nb::tuple decode(const Audio& audio) {
  std::pair<std::vector<float>, std::vector<std::string>> found;
  try {
    const nb::gil_scoped_release release;
    found = heard(audio);
  } catch (const Error&) {
    if (PyErr_Occurred() != nullptr) throw nb::python_error();
    throw;
  }
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  return nb::make_tuple(to_array(std::move(found.first)), std::move(found.second));
}

}  // namespace

void bind_audio(nb::module_& module) {
  module.def(
      "decode", [](const std::string& path) { return decode({.path = path}); }, nb::arg("path"));
  module.def(
      "decode",
      [](const nb::bytes& bytes) {
        Audio audio;
        audio.bytes = {static_cast<const std::byte*>(bytes.data()), bytes.size()};
        return decode(audio);
      },
      nb::arg("bytes"));
}

}  // namespace wnpu::python
