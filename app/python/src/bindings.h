// The parts of the Python module `_engine`: the engine's types as Python has them. What users see
// is written in Python over it (app/python/whisper_npu).
#pragma once

#include <nanobind/nanobind.h>

namespace wnpu::python {

void bind_errors(nanobind::module_& module);
void bind_options(nanobind::module_& module);
void bind_model(nanobind::module_& module);
void bind_transcription(nanobind::module_& module);
void bind_audio(nanobind::module_& module);
void bind_npu(nanobind::module_& module);
void bind_tensor(nanobind::module_& module);

}  // namespace wnpu::python
