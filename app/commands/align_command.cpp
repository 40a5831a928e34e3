#include "app/commands/align_command.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/commands/subtitles/subtitles_command.h"
#include "app/engine/whisper_npu.hpp"
#include "app/formats/text_segments.h"
#include "app/input/input_audio.h"
#include "app/input/url_inputs.h"
#include "app/jobs/isolated_batch.h"
#include "app/jobs/notes.h"
#include "app/jobs/process.h"
#include "app/jobs/readable_input.h"
#include "app/jobs/run.h"
#include "app/model_store/ensure_model.h"
#include "app/options/exit_code.h"
#include "app/options/option_values.h"
#include "app/options/output_options.h"
#include "app/options/work_options.h"
#include "app/output/output_plan.h"
#include "app/system/progress.h"
#include "app/system/signals.h"
#include "models/base/utf8.h"
#include "models/kernels/vectors/blas.h"

namespace wnpu::app {
namespace {

struct AlignOrder {
  Options work;
  std::string text;
};

void add_align_options(CLI::App& app, AlignOrder& order) {
  Options& work = order.work;
  // The first pass has to hear most words, not all: greedy, each window by itself.
  work.transcribe.beam_size = 1;
  work.transcribe.condition_on_previous_text = false;
  work.transcribe.word_timestamps = true;
  add_group(app, "Input", [&] {
    app.add_option("files", work.inputs, "The recording; - is stdin; or its URL");
    app.add_option("--text", order.text,
                   "What is said: a line or sentence becomes a segment; of srt and vtt each cue "
                   "keeps its text, and gets new times")
        ->configurable(false)
        ->type_name("FILE");
    add_stdin_format(app, work.stdin_format, "stdin is raw samples, e.g. s16le:16000:1");
    add_language(app, work.transcribe, "Code or name of the language; detected if not given");
  });
  add_group(app, "Output", [&] { add_output_options(app, work); });
  add_place_options(app, work);
  add_group(app, "Model and device", [&] { add_pull_options(app, work); });
  add_group(app, "Subtitles",
            [&] { add_layout_options(app, work.layout, RulesFrom::names_and_files); });
}

std::vector<std::string> cue_texts(std::string_view bytes) {
  std::vector<std::string> texts;
  for (const TimedCue& cue : parse_subtitles(bytes).cues) {
    std::string& text = texts.emplace_back();
    for (const std::string& line : cue.lines) text += (text.empty() ? "" : "\n") + line;
  }
  return texts;
}

std::vector<std::string> segments_of(const std::string& path, std::string_view bytes) {
  if (models::is_utf16(bytes)) throw UsageError(models::kWantsUtf8);
  if (models::repair_utf8(bytes) != bytes)
    throw UsageError("expected UTF-8, found bytes that are none");
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (bytes.starts_with(kMark)) bytes.remove_prefix(kMark.size());
  std::string extension = std::filesystem::path(path).extension().string();
  extension = CLI::detail::to_lower(extension);
  return extension == ".srt" || extension == ".vtt" ? cue_texts(bytes) : segments_of_text(bytes);
}

// Texts of segments. Throws UsageError.
std::vector<std::string> given_text(const std::string& path) {
  if (path.empty()) throw UsageError("align: expected --text FILE, found none");
  try {
    std::vector<std::string> segments = segments_of(path, bytes_of_text(path, "a text"));
    if (segments.empty()) throw UsageError("expected words, found none");
    return segments;
  } catch (const std::exception& error) {
    if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) throw;
    throw UsageError("--text " + path + ": " + error.what());
  }
}

int run_alignment(const Options& options, std::span<const std::string> text,
                  const std::vector<PlannedInput>& plan, const Environment& environment,
                  BatchProgress& progress) {
  Messages messages(std::cerr, options.verbosity, false);
  InputAudio inputs(options, std::cerr);
  check_only_input(plan);
  if (!plan.front().is_skipped)
    inputs.prepare(plan.front().input, [] { return received_signal() != 0; });
  kernels::use_gemm(options.gemm);
  const Model model(options.model, {options.model_dir, options.device, options.threads});
  model.check(options.transcribe);
  note_device(model.device(), model.threads(), options, messages);
  Session session(model);
  const TranscribeFn align = [&](const std::string& input, const Callbacks& calls) {
    return inputs.read(input, calls.should_stop, [&](const Audio& audio) {
      if (options.dry_run) return read_audio(audio, calls);
      return with_option_names(session.align(audio, text, options.transcribe, calls));
    });
  };
  keep_results_when_stopped();
  return run(options, plan, align, environment, progress);
}

int align_recording(const AlignOrder& order, const std::vector<std::string>& files) {
  if (files.size() != 1) {
    throw UsageError("align: expected one recording, found " +
                     (files.empty() ? "none" : std::to_string(files.size())));
  }
  Options options = order.work;
  options.inputs = files;
  options = with_urls(options);
  use_log_format(options.log_format);
  const std::vector<std::string> text = given_text(order.text);
  Messages messages(std::cerr, options.verbosity, false);
  const Environment environment = environment_of_process(options);
  const std::vector<PlannedInput> plan = plan_outputs(options);
  ensure_model(options, messages);
  const BatchFn batch = [&](BatchProgress& progress) {
    const auto work = [&] { return run_alignment(options, text, plan, environment, progress); };
    return exit_code_after(work, only_input(plan));
  };
  if (is_isolated(options)) return run_isolated(options, plan, batch, environment);
  BatchProgress progress;
  return batch(progress);
}

}  // namespace

Subcommand align_command() {
  return subcommand("align", "Times of the words of a given text, and new ones of subtitles",
                    add_align_options, align_recording);
}

}  // namespace wnpu::app
