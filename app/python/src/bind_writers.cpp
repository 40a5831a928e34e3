// Results as text in the program's formats.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "app/engine/whisper_npu.hpp"
#include "app/formats/writers.h"
#include "app/python/src/bindings.h"
#include "app/python/src/interpreter_lock.h"
#include "app/system/output_file.h"

namespace nb = nanobind;

namespace wnpu::python {
namespace {

std::string formatted(const std::string& format, std::vector<Segment> segments,
                      const app::SubtitleLayout& layout) {
  const std::optional<app::Format> known = app::find_format(format);
  if (!known)
    throw app::UsageError("format: expected one of whisper-npu --format's, found " + format);
  Transcript transcript;
  transcript.segments = std::move(segments);
  std::ostringstream out;
  app::write(*known, transcript, {.layout = layout}, out);
  return std::move(out).str();
}

}  // namespace

void bind_writers(nb::module_& module) {
  using Layout = app::SubtitleLayout;
  nb::class_<Layout>(module, "SubtitleLayout")
      .def(nb::init<>())
      .def_rw("max_line_width", &Layout::max_line_width, nb::arg().none())
      .def_rw("max_line_count", &Layout::max_line_count, nb::arg().none())
      .def_rw("max_words_per_line", &Layout::max_words_per_line, nb::arg().none())
      .def_rw("highlight_words", &Layout::highlight_words);
  module.def("formatted", &formatted, nb::arg("format"), nb::arg("segments"), nb::arg("layout"));
  module.def(
      "write_file",
      [](const nb::str& path, const std::string& text) {
        const std::string name = path_bytes(path);
        const WithoutInterpreter unlocked;
        app::write_file(name, text);
      },
      nb::arg("path"), nb::arg("text"));
}

}  // namespace wnpu::python
