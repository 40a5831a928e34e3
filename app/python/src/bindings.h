// The parts of the Python module `_engine`: the engine's types as Python has them. What users see
// is written in Python over it (app/python/whisper_npu).
#pragma once

#include <nanobind/nanobind.h>
#include <string>
#include <string_view>

namespace wnpu::python {

// The bytes of a path, as os.fsencode() has them: a name need not be UTF-8. Raises ValueError for
// one with a NUL, which would end it there.
std::string path_bytes(const nanobind::str& path);
// As os.fsdecode().
nanobind::str path_text(std::string_view bytes);

void bind_errors(nanobind::module_& module);
void bind_options(nanobind::module_& module);
void bind_model(nanobind::module_& module);
void bind_transcription(nanobind::module_& module);
void bind_audio(nanobind::module_& module);
void bind_hub(nanobind::module_& module);
void bind_writers(nanobind::module_& module);
void bind_npu(nanobind::module_& module);
void bind_tensor(nanobind::module_& module);

}  // namespace wnpu::python
