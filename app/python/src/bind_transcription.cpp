#include <bit>
#include <chrono>
#include <memory>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <span>
#include <utility>

#include "app/python/src/bindings.h"
#include "app/python/src/interpreter_lock.h"
#include "app/python/src/transcription.h"

namespace nb = nanobind;

namespace wnpu::python {
namespace {

static_assert(std::endian::native == std::endian::little, "samples are handed on as they lie");

// Between two looks at Python's signals.
constexpr std::chrono::milliseconds kPatience{50};

using Samples = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// A transcription with what it reads from, which stays while it works.
class HeldTranscription {
 public:
  using Pool = std::shared_ptr<SessionPool>;

  HeldTranscription(const Pool& pool, Samples samples, Transcription::Work&& work)
      : samples_(std::move(samples)) {
    begin(pool, std::move(work));
  }
  HeldTranscription(const Pool& pool, nb::bytes bytes, Transcription::Work&& work)
      : bytes_(std::move(bytes)) {
    begin(pool, std::move(work));
  }
  HeldTranscription(const Pool& pool, Transcription::Work&& work) { begin(pool, std::move(work)); }
  ~HeldTranscription() {
    if (!work_) return;
    if (!work_->is_here()) {
      (void)work_.release();
      return;
    }
    const WithoutInterpreter unlocked;
    work_.reset();
  }
  HeldTranscription(HeldTranscription&&) = delete;
  HeldTranscription& operator=(HeldTranscription&&) = delete;

  Transcription& work() { return *work_; }

 private:
  void begin(const Pool& pool, Transcription::Work&& work) {
    work_ = std::make_unique<Transcription>(pool, std::move(work));
  }

  Samples samples_;
  std::optional<nb::bytes> bytes_;
  std::unique_ptr<Transcription> work_;
};

// Waits until `ask` gives something; Python's signals are checked meanwhile, which throws an
// exception of a handler (KeyboardInterrupt).
template <typename Ask>
auto await(Transcription& work, const Ask& ask) {
  for (;;) {
    {
      const WithoutInterpreter unlocked;
      auto found = ask(work);
      if (found) return std::move(*found);
    }
    if (PyErr_CheckSignals() == 0) continue;
    work.stop();
    throw nb::python_error();
  }
}

nb::object to_python(Event&& event) {
  if (auto* segment = std::get_if<Segment>(&event)) return nb::cast(std::move(*segment));
  if (auto* progress = std::get_if<Progress>(&event)) return nb::cast(*progress);
  return nb::none();
}

std::span<const std::byte> bytes_of(const nb::bytes& bytes) {
  return {static_cast<const std::byte*>(bytes.data()), bytes.size()};
}

// float32 or int16, 16 kHz, mono.
Audio audio_of(const Samples& samples) {
  const bool is_float = samples.dtype() == nb::dtype<float>();
  if (!is_float && samples.dtype() != nb::dtype<std::int16_t>()) {
    throw nb::type_error("samples: expected float32 or int16, found another type");
  }
  Audio audio;
  audio.bytes = {static_cast<const std::byte*>(samples.data()), samples.nbytes()};
  audio.raw_format = is_float ? "f32le:16000:1" : "s16le:16000:1";
  return audio;
}

}  // namespace

void bind_transcription(nb::module_& module) {
  using Held = HeldTranscription;
  using Text = std::vector<std::string>;
  nb::class_<Held>(module, "Transcription")
      // Before arrays, which bytes would pass for. Arrays are not converted: that is a copy.
      .def(
          "__init__",
          [](Held* held, const Held::Pool& pool, nb::bytes bytes, const TranscribeOptions& options,
             bool tells_progress, Text text) {
            Audio audio;
            audio.bytes = bytes_of(bytes);
            new (held)
                Held(pool, std::move(bytes), {audio, options, tells_progress, std::move(text)});
          },
          nb::arg("model"), nb::arg("bytes"), nb::arg("options"), nb::arg("tells_progress"),
          nb::arg("text") = Text())
      .def(
          "__init__",
          [](Held* held, const Held::Pool& pool, Samples samples, const TranscribeOptions& options,
             bool tells_progress, Text text) {
            const Audio audio = audio_of(samples);
            new (held)
                Held(pool, std::move(samples), {audio, options, tells_progress, std::move(text)});
          },
          nb::arg("model"), nb::arg("samples").noconvert(), nb::arg("options"),
          nb::arg("tells_progress"), nb::arg("text") = Text())
      .def(
          "__init__",
          [](Held* held, const Held::Pool& pool, const nb::str& path,
             const TranscribeOptions& options, bool tells_progress, Text text) {
            new (held)
                Held(pool, {{.path = path_bytes(path)}, options, tells_progress, std::move(text)});
          },
          nb::arg("model"), nb::arg("path"), nb::arg("options"), nb::arg("tells_progress"),
          nb::arg("text") = Text())
      .def("beginning",
           [](Held& held) {
             return await(held.work(), [](auto& work) { return work.beginning(kPatience); });
           })
      .def(
          "next",
          [](Held& held) {
            return to_python(await(held.work(), [](auto& work) { return work.next(kPatience); }));
          },
          nb::sig("def next(self) -> Segment | Progress | None"))
      .def(
          "close", [](Held& held) { held.work().close(); }, nb::call_guard<WithoutInterpreter>())
      .def_prop_ro("warnings", [](Held& held) { return held.work().warnings(); });
}

}  // namespace wnpu::python
