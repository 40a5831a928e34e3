#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "app/engine/model_path.h"
#include "app/engine/whisper_npu.hpp"
#include "app/python/src/bindings.h"
#include "app/python/src/interpreter_lock.h"
#include "app/python/src/session_pool.h"
#include "models/base/dims.h"
#include "models/files/open_model.h"

namespace nb = nanobind;

namespace wnpu::python {
namespace {

// By openai-whisper's names.
void bind_dims(nb::module_& module) {
  using models::Dims;
  nb::class_<Dims>(module, "ModelDimensions")
      .def_ro("n_mels", &Dims::n_mels)
      .def_ro("n_audio_ctx", &Dims::n_audio_ctx)
      .def_ro("n_audio_state", &Dims::n_audio_state)
      .def_ro("n_audio_head", &Dims::n_audio_head)
      .def_ro("n_audio_layer", &Dims::n_audio_layer)
      .def_ro("n_vocab", &Dims::n_vocab)
      .def_ro("n_text_ctx", &Dims::n_text_ctx)
      .def_ro("n_text_state", &Dims::n_text_state)
      .def_ro("n_text_head", &Dims::n_text_head)
      .def_ro("n_text_layer", &Dims::n_text_layer);
}

}  // namespace

void bind_model(nb::module_& module) {
  nb::class_<OrtOptions>(module, "OrtOptions")
      .def_rw("library", &OrtOptions::library)
      .def_rw("plugins", &OrtOptions::plugins)
      .def_rw("options", &OrtOptions::options);
  nb::class_<DeviceOptions>(module, "DeviceOptions")
      .def(nb::init<>())
      .def_ro("ort", &DeviceOptions::ort)
      .def_rw("requested", &DeviceOptions::requested)
      .def_rw("cpu_precision", &DeviceOptions::cpu_precision);
  const auto load = [](const nb::str& name_or_path, const nb::str& folder,
                       const DeviceOptions& device, unsigned threads, std::size_t n_sessions) {
    const ModelOptions options{.folder = path_bytes(folder), .device = device, .threads = threads};
    const std::string name = path_bytes(name_or_path);
    const WithoutInterpreter unlocked;
    return std::make_shared<SessionPool>(name, options, n_sessions);
  };
  bind_dims(module);
  nb::class_<SessionPool>(module, "Model")
      .def(nb::new_(load), nb::arg("name_or_path"), nb::arg("folder"), nb::arg("device"),
           nb::arg("threads"), nb::arg("n_sessions"))
      .def("check", [](const SessionPool& pool,
                       const TranscribeOptions& options) { pool.model().check(options); })
      .def("after_fork", &SessionPool::after_fork)
      .def_prop_ro("is_multilingual",
                   [](const SessionPool& pool) { return pool.model().is_multilingual(); })
      .def_prop_ro("threads", [](const SessionPool& pool) { return pool.model().threads(); })
      .def_prop_ro("name",
                   [](const SessionPool& pool) { return path_text(pool.model().info().name); })
      .def_prop_ro("path",
                   [](const SessionPool& pool) { return path_text(pool.model().info().path); })
      .def_prop_ro("format", [](const SessionPool& pool) { return pool.model().info().format; })
      .def_prop_ro("quantization",
                   [](const SessionPool& pool) { return pool.model().info().quantization; })
      .def_prop_ro("device", [](const SessionPool& pool) { return pool.model().device().used; })
      .def_prop_ro("is_simulated",
                   [](const SessionPool& pool) { return pool.model().device().simulated; })
      .def_prop_ro(
          "dims",
          [](const SessionPool& pool) {
            return models::open_model(pool.model().info().path, app::model_folder())->dims();
          })
      .def_prop_ro("cpu_precision",
                   [](const SessionPool& pool) { return pool.model().device().cpu_precision; });
}

}  // namespace wnpu::python
