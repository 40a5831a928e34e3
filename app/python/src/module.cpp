#include <nanobind/stl/string.h>

#include "app/engine/whisper_npu.hpp"
#include "app/options/exit_code.h"
#include "app/python/src/bindings.h"
#include "app/system/build_info.h"

namespace nb = nanobind;

namespace wnpu::python {

std::string path_bytes(const nb::str& path) {
  const auto bytes = nb::steal<nb::bytes>(PyUnicode_EncodeFSDefault(path.ptr()));
  if (!bytes.is_valid()) throw nb::python_error();
  std::string name(static_cast<const char*>(bytes.data()), bytes.size());
  if (name.find('\0') != name.npos) throw nb::value_error("embedded null character in a path");
  return name;
}

nb::str path_text(std::string_view bytes) {
  auto text = nb::steal<nb::str>(
      PyUnicode_DecodeFSDefaultAndSize(bytes.data(), static_cast<Py_ssize_t>(bytes.size())));
  if (!text.is_valid()) throw nb::python_error();
  return text;
}

// Errors of the engine, and of what the program has over it, become what errors.py makes of them.
void bind_errors(nb::module_& /*module*/) {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void* /*payload*/) {
    try {
      std::rethrow_exception(thrown);
    } catch (const std::exception& error) {
      const auto* const ours = dynamic_cast<const Error*>(&error);
      const int code = app::exit_code_of(error);
      if (ours == nullptr && code == static_cast<int>(app::ExitCode::internal)) throw;
      const std::string_view option = ours == nullptr ? "" : ours->option();
      const nb::object made = nb::module_::import_("whisper_npu.errors")
                                  .attr("from_engine")(code, path_text(error.what()),
                                                       nb::str(option.data(), option.size()));
      PyErr_SetObject(made.type().ptr(), made.ptr());
    }
  });
}

// "0.1.0+1a2b3c4d5e6f-dirty", a local version by PEP 440; where no commit is known "0.1.0".
std::string version_with_commit() {
  const std::string commit = app::kGitCommit;
  const bool is_known = commit.find(' ') == commit.npos;
  return app::kVersion + (is_known ? "+" + commit : "");
}

}  // namespace wnpu::python

NB_MODULE(_engine, module) {
  module.doc() = "The engine of whisper-npu: what the Python modules beside it are written over.";
  // A daemon thread that is at work when the interpreter ends holds its objects: no news to a user.
  nb::set_leak_warnings(false);
  module.attr("__version__") = wnpu::python::version_with_commit();
  wnpu::python::bind_errors(module);
  wnpu::python::bind_options(module);
  wnpu::python::bind_model(module);
  wnpu::python::bind_transcription(module);
  wnpu::python::bind_audio(module);
  wnpu::python::bind_hub(module);
  wnpu::python::bind_writers(module);
  wnpu::python::bind_npu(module);
  wnpu::python::bind_tensor(module);
}
