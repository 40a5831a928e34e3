#include "app/options/speaker_options.h"

#include <string>
#include <string_view>

#include "app/engine/model_path.h"
#include "app/engine/option_check.h"
#include "app/options/exit_code.h"
#include "app/options/option_values.h"
#include "app/options/speaker_count.h"

namespace wnpu::app {
namespace {

void take_names(const std::string& text, SpeakerOptions& speakers) {
  try {
    speakers.names = speaker_names_of(text);
  } catch (const Error& error) {
    const std::string_view message = error.what();
    throw CLI::ValidationError("--speaker-names",
                               std::string(message.substr(message.find(' ') + 1)));
  }
}

void take_speakers(const std::string& text, SpeakerOptions& speakers) {
  try {
    const audio::SpeakerCount count = speaker_count_of(text);
    speakers.enabled = true;
    speakers.min = static_cast<std::size_t>(count.min);
    speakers.max = static_cast<std::size_t>(count.max);
  } catch (const UsageError& error) {
    const std::string_view message = error.what();
    throw CLI::ValidationError("--speakers", std::string(message.substr(message.find(' ') + 1)));
  }
}

}  // namespace

void add_voice_options(CLI::App& app, SpeakerOptions& speakers) {
  speakers.weights = speaker_model_folder();
  app.add_option("--speaker-model", speakers.weights,
                 "Folder of the networks that tell voices apart")
      ->type_name("DIR");
  app.add_option_function<std::string>(
         "--speakers", [&speakers](const std::string& text) { take_speakers(text, speakers); },
         "Who speaks, told apart by voice: so many speakers; auto: up to 20. Words are timed for "
         "it")
      ->type_name(kSpeakerCountType);
  app.add_option_function<std::string>(
         "--speaker-names", [&speakers](const std::string& text) { take_names(text, speakers); },
         "Names in the place of left and right, or of speaker 1, speaker 2")
      ->type_name("KEY=NAME,...");
}

void add_speaker_options(CLI::App& app, TranscribeOptions& transcribe) {
  add_choice(
      app, "--channels", {{"mix", "separate"}, "mix"},
      [&transcribe](const std::string& name) {
        transcribe.channels = name == "separate" ? Channels::separate : Channels::mix;
      },
      "separate: each channel is heard by itself, as one speaker, left and right; what one hears "
      "from another is left out");
  add_voice_options(app, transcribe.speakers);
}

}  // namespace wnpu::app
