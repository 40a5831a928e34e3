// Results as text in the program's formats.
#include <algorithm>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "app/engine/whisper_npu.hpp"
#include "app/formats/text_segments.h"
#include "app/formats/writers.h"
#include "app/options/subtitle_rules_file.h"
#include "app/python/src/bindings.h"
#include "app/python/src/interpreter_lock.h"
#include "app/system/output_file.h"

namespace nb = nanobind;

namespace wnpu::python {
namespace {

std::string formatted(const std::string& format, std::vector<Segment> segments,
                      const app::SubtitleLayout& layout, std::string language) {
  const std::optional<app::Format> known = app::find_format(format);
  if (!known)
    throw app::UsageError("format: expected one of whisper-npu --format's, found " + format);
  Transcript transcript;
  transcript.segments = std::move(segments);
  if (std::ranges::any_of(transcript.segments, [](const Segment& s) { return !s.speaker.empty(); }))
    transcript.speakers.emplace();
  transcript.language = std::move(language);
  std::ostringstream out;
  app::write(*known, transcript, {.layout = layout}, out);
  return std::move(out).str();
}

}  // namespace

void bind_writers(nb::module_& module) {
  using Layout = app::SubtitleLayout;
  module.def("segments_of_text", &app::segments_of_text, nb::arg("text"));
  nb::class_<Layout>(module, "SubtitleLayout")
      .def(nb::init<>())
      .def_rw("max_line_width", &Layout::max_line_width, nb::arg().none())
      .def_rw("max_line_count", &Layout::max_line_count, nb::arg().none())
      .def_rw("max_words_per_line", &Layout::max_words_per_line, nb::arg().none())
      .def_rw("highlight_words", &Layout::highlight_words)
      .def_prop_rw(
          "subtitle_rules",
          [](const Layout& layout) { return layout.rules ? layout.rules->name : "plain"; },
          [](Layout& layout, const std::string& name) {
            try {
              layout.rules = app::read_subtitle_rules(name);
            } catch (const app::UsageError& error) {
              throw app::UsageError(std::string("subtitle_rules: ") + error.what());
            }
          });
  module.def("formatted", &formatted, nb::arg("format"), nb::arg("segments"), nb::arg("layout"),
             nb::arg("language"));
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
