#include "app/engine/whisper_npu.hpp"
#include "app/python/src/bindings.h"

namespace nb = nanobind;

namespace wnpu::python {

// wnpu::Error becomes what errors.py makes of it.
void bind_errors(nb::module_& /*module*/) {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void* /*payload*/) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& error) {
      const nb::object made =
          nb::module_::import_("whisper_npu.errors")
              .attr("from_engine")(static_cast<int>(error.code()), nb::str(error.what()),
                                   nb::str(error.option().data(), error.option().size()));
      PyErr_SetObject(made.type().ptr(), made.ptr());
    }
  });
}

}  // namespace wnpu::python

NB_MODULE(_engine, module) {
  module.doc() = "The engine of whisper-npu: what the Python modules beside it are written over.";
  module.attr("__version__") = WNPU_VERSION;
  wnpu::python::bind_errors(module);
  wnpu::python::bind_options(module);
  wnpu::python::bind_model(module);
  wnpu::python::bind_transcription(module);
  wnpu::python::bind_audio(module);
  wnpu::python::bind_npu(module);
  wnpu::python::bind_tensor(module);
}
