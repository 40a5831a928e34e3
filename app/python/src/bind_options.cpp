// Options and results: structs of whisper_npu.hpp, field by field.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "app/engine/whisper_npu.hpp"
#include "app/python/src/bindings.h"
#include "app/python/src/transcription.h"
#include "models/text/vocabulary.h"

namespace nb = nanobind;

namespace wnpu::python {
namespace {

void bind_vad(nb::module_& module) {
  nb::class_<VadOptions>(module, "VadOptions")
      .def(nb::init<>())
      .def_rw("enabled", &VadOptions::enabled)
      .def_rw("weights", &VadOptions::weights)
      .def_rw("threshold", &VadOptions::threshold)
      .def_rw("neg_threshold", &VadOptions::neg_threshold, nb::arg().none())
      .def_rw("min_speech_duration_ms", &VadOptions::min_speech_duration_ms)
      .def_rw("max_speech_duration_s", &VadOptions::max_speech_duration_s, nb::arg().none())
      .def_rw("min_silence_duration_ms", &VadOptions::min_silence_duration_ms, nb::arg().none())
      .def_rw("speech_pad_ms", &VadOptions::speech_pad_ms);
}

void bind_speakers(nb::module_& module) {
  nb::enum_<Channels>(module, "Channels")
      .value("mix", Channels::mix)
      .value("separate", Channels::separate);
  nb::class_<SpeakerOptions>(module, "SpeakerOptions")
      .def(nb::init<>())
      .def_rw("enabled", &SpeakerOptions::enabled)
      .def_rw("min", &SpeakerOptions::min)
      .def_rw("max", &SpeakerOptions::max)
      .def_rw("weights", &SpeakerOptions::weights)
      .def_rw("names", &SpeakerOptions::names);
}

void bind_results(nb::module_& module) {
  nb::class_<Word>(module, "Word")
      .def(
          "__init__",
          [](Word* made, const std::string& text, double start, double end, double probability,
             const std::string& speaker) {
            new (made) Word{text, start, end, probability, speaker};
          },
          nb::arg("text"), nb::arg("start"), nb::arg("end"), nb::arg("probability"),
          nb::arg("speaker") = "")
      .def_ro("text", &Word::text)
      .def_ro("start", &Word::start)
      .def_ro("end", &Word::end)
      .def_ro("probability", &Word::probability)
      .def_ro("speaker", &Word::speaker);
  nb::class_<Segment>(module, "Segment")
      .def(
          "__init__",
          [](Segment* made, const std::string& text, double start, double end,
             const std::vector<Word>& words, const std::string& speaker) {
            new (made) Segment();
            made->speaker = speaker;
            made->text = text;
            made->start = start;
            made->end = end;
            made->words = words;
          },
          nb::arg("text"), nb::arg("start"), nb::arg("end"), nb::arg("words"),
          nb::arg("speaker") = "")
      .def_ro("id", &Segment::id)
      .def_ro("seek", &Segment::seek)
      .def_ro("start", &Segment::start)
      .def_ro("end", &Segment::end)
      .def_ro("text", &Segment::text)
      .def_ro("tokens", &Segment::tokens)
      .def_ro("temperature", &Segment::temperature)
      .def_ro("avg_logprob", &Segment::avg_logprob)
      .def_ro("compression_ratio", &Segment::compression_ratio)
      .def_ro("no_speech_prob", &Segment::no_speech_prob)
      .def_ro("words", &Segment::words)
      .def_ro("language", &Segment::language)
      .def_ro("speaker", &Segment::speaker);
  nb::class_<Progress>(module, "Progress")
      .def_ro("done_s", &Progress::done_s)
      .def_ro("total_s", &Progress::total_s);
  nb::class_<Beginning>(module, "Beginning")
      .def_ro("language", &Beginning::language)
      .def_ro("language_probs", &Beginning::language_probs)
      .def_ro("duration", &Beginning::duration)
      .def_ro("clips", &Beginning::clips);
}

}  // namespace

void bind_options(nb::module_& module) {
  using Options = TranscribeOptions;
  nb::enum_<Task>(module, "Task")
      .value("transcribe", Task::transcribe)
      .value("translate", Task::translate);
  bind_vad(module);
  bind_speakers(module);
  const auto none = nb::arg().none();
  nb::class_<Options>(module, "TranscribeOptions")
      .def(nb::init<>())
      .def_rw("task", &Options::task)
      .def_rw("language", &Options::language)
      .def_rw("beam_size", &Options::beam_size)
      .def_rw("best_of", &Options::best_of)
      .def_rw("patience", &Options::patience)
      .def_rw("length_penalty", &Options::length_penalty, none)
      .def_rw("repetition_penalty", &Options::repetition_penalty)
      .def_rw("no_repeat_ngram_size", &Options::no_repeat_ngram_size)
      .def_rw("temperatures", &Options::temperatures)
      .def_rw("compression_ratio_threshold", &Options::compression_ratio_threshold, none)
      .def_rw("logprob_threshold", &Options::logprob_threshold, none)
      .def_rw("no_speech_threshold", &Options::no_speech_threshold, none)
      .def_rw("suppress_tokens", &Options::suppress_tokens)
      .def_rw("suppress_blank", &Options::suppress_blank)
      .def_rw("max_initial_timestamp", &Options::max_initial_timestamp, none)
      .def_rw("without_timestamps", &Options::without_timestamps)
      .def_rw("sample_len", &Options::sample_len)
      .def_rw("initial_prompt", &Options::initial_prompt)
      .def_rw("carry_initial_prompt", &Options::carry_initial_prompt)
      .def_rw("hotwords", &Options::hotwords)
      .def_rw("prefix", &Options::prefix)
      .def_rw("condition_on_previous_text", &Options::condition_on_previous_text)
      .def_rw("batch_size", &Options::batch_size)
      .def_rw("vad", &Options::vad)
      .def_rw("channels", &Options::channels)
      .def_rw("speakers", &Options::speakers)
      .def_rw("pool_padding", &Options::pool_padding)
      .def_rw("language_detection_threshold", &Options::language_detection_threshold)
      .def_rw("language_detection_segments", &Options::language_detection_segments)
      .def_rw("multilingual", &Options::multilingual)
      .def_rw("word_timestamps", &Options::word_timestamps)
      .def_rw("prepend_punctuations", &Options::prepend_punctuations)
      .def_rw("append_punctuations", &Options::append_punctuations)
      .def_rw("hallucination_silence_threshold", &Options::hallucination_silence_threshold, none)
      .def_rw("clip_timestamps", &Options::clip_timestamps);
  bind_results(module);
  module.def(
      "find_language",
      [](const std::string& code_or_name) -> std::optional<std::string> {
        const auto code = models::find_language(code_or_name);
        return code ? std::optional<std::string>(*code) : std::nullopt;
      },
      nb::arg("code_or_name"));
}

}  // namespace wnpu::python
