#include "app/commands/speakers/speakers_command.h"

#include <array>
#include <iostream>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/commands/speakers/turn_formats.h"
#include "app/engine/available_cpus.h"
#include "app/engine/error.h"
#include "app/engine/session/listeners.h"
#include "app/options/exit_code.h"
#include "app/options/option_values.h"
#include "app/options/speaker_count.h"
#include "app/output/written_file.h"
#include "app/system/output_file.h"
#include "app/system/progress.h"
#include "app/system/write_all.h"
#include "audio/read/pcm_reader.h"

namespace wnpu::app {
namespace {

struct SpeakersOrder {
  std::vector<std::string> names;  // for --help; the command line brings them itself
  audio::SpeakerCount count;
  bool is_json = false;
  std::string output;
  bool overwrites = false;
  std::string model;
  std::size_t threads = 0;
};

void add_speakers(CLI::App& app, SpeakersOrder& order) {
  app.add_option("files", order.names, "Recordings; - is stdin");
  app.add_option_function<std::string>(
         "--speakers", [&order](const std::string& text) { order.count = speaker_count_of(text); },
         "How many speakers there are, where that is known")
      ->type_name(kSpeakerCountType)
      ->default_str("auto");
  add_choice(
      app, "-f,--format", {{"rttm", "json"}, "rttm"},
      [&order](const std::string& name) { order.is_json = name == "json"; },
      "rttm: a turn a line, as NIST has it; json: an object by speakers.schema.json (in "
      "share/whisper-npu/schemas)");
  app.add_option("-o,--output", order.output, "File to write to; - is stdout")->type_name("FILE|-");
  app.add_flag("--overwrite", order.overwrites, "Replace that file");
  app.add_option("--speaker-model", order.model,
                 "Folder of the two networks; where not given, that of `models pull speakers`")
      ->type_name("DIR");
  add_integer(app, "--threads", order.threads, {{0, 1024}, 0}, "0: as many as there are CPUs");
}

DiarizedFile diarized(const std::string& name, const SpeakersOrder& order,
                      const audio::SpeakerModel& model, Messages& messages) {
  audio::Input input;
  input.path = name;
  const audio::InputFile bytes(input);
  const auto reader = audio::open_pcm(bytes);
  const std::size_t n_threads = order.threads == 0 ? available_cpus() : order.threads;
  audio::Diarizer diarizer(model, order.count, n_threads);
  std::array<float, 16000> samples{};
  std::size_t n_samples = 0;
  while (const std::size_t n = reader->read(samples)) {
    diarizer.add(std::span<const float>(samples).first(n));
    n_samples += n;
  }
  for (const std::string& warning : reader->warnings()) messages.note(name + ": " + warning);
  return {name, static_cast<double>(n_samples) / 16000, diarizer.finish()};
}

// The file's turns; none where it cannot be read and there are others, which is told.
template <typename Work>
std::optional<DiarizedFile> checked_file(const std::string& name, bool is_only, Messages& messages,
                                         const Work& work) {
  try {
    return with_errors(name, work);
  } catch (const std::exception& error) {
    if (is_only || !is_of_one_file(error)) throw;
    messages.error(error.what(), name);
    return std::nullopt;
  }
}

int find_speakers(const SpeakersOrder& order, const std::vector<std::string>& names) {
  if (names.empty()) throw UsageError("speakers: expected a file, or - for stdin, found none");
  const bool is_stdout = order.output.empty() || order.output == "-";
  if (!is_stdout) require_free_file(order.output, order.overwrites, names);
  const audio::SpeakerModel model =
      with_errors(order.model, [&] { return open_speaker_model(order.model); });
  Messages messages(std::cerr, Verbosity::normal, false);
  std::vector<DiarizedFile> files;
  for (const std::string& name : names) {
    auto file = checked_file(name, names.size() == 1, messages,
                             [&] { return diarized(name, order, model, messages); });
    if (file) files.push_back(std::move(*file));
  }
  std::string text;
  if (order.is_json) text = speakers_json(files);
  for (const DiarizedFile& file : files) {
    if (!order.is_json) text += rttm_of(file);
  }
  if (is_stdout) {
    print_report(text);
  } else {
    write_file(order.output, text, !order.overwrites);
  }
  const bool is_well = files.size() == names.size();
  return static_cast<int>(is_well ? ExitCode::ok : ExitCode::some_failed);
}

}  // namespace

Subcommand speakers_command() {
  return subcommand("speakers", "Who speaks when: turns of speakers, without a transcript",
                    add_speakers, find_speakers);
}

}  // namespace wnpu::app
