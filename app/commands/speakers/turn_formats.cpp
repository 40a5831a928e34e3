#include "app/commands/speakers/turn_formats.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include <nlohmann/json.hpp>

namespace wnpu::app {
namespace {

using Json = nlohmann::ordered_json;

double in_milliseconds(double seconds) { return std::round(seconds * 1000) / 1000; }

// Name of the recording: fields of RTTM are parted by spaces.
std::string recording_of(const std::string& file) {
  std::string name = file == "-" ? "stdin" : std::filesystem::path(file).stem().string();
  std::ranges::replace_if(
      name, [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7f'; }, '_');
  return name.empty() ? "recording" : name;
}

}  // namespace

std::string speaker_name(int speaker) {
  const std::string number = std::to_string(speaker);
  return "SPEAKER_" + std::string(number.size() < 2 ? "0" : "") + number;
}

std::string rttm_of(const DiarizedFile& file) {
  const std::string recording = recording_of(file.name);
  std::string text;
  for (const audio::SpeakerTurn& turn : file.turns) {
    const double begin = in_milliseconds(turn.begin_s);
    std::array<char, 64> times{};
    std::snprintf(times.data(), times.size(), "%.3f %.3f", begin,
                  in_milliseconds(turn.end_s) - begin);
    text += "SPEAKER " + recording + " 1 " + times.data() + " <NA> <NA> " +
            speaker_name(turn.speaker) + " <NA> <NA>\n";
  }
  return text;
}

std::string speakers_json(std::span<const DiarizedFile> files) {
  Json document = {{"schema_version", 1}, {"files", Json::array()}};
  for (const DiarizedFile& file : files) {
    Json turns = Json::array();
    int n_speakers = 0;
    for (const audio::SpeakerTurn& turn : file.turns) {
      n_speakers = std::max(n_speakers, turn.speaker + 1);
      turns.push_back({{"start", in_milliseconds(turn.begin_s)},
                       {"end", in_milliseconds(turn.end_s)},
                       {"speaker", speaker_name(turn.speaker)}});
    }
    document["files"].push_back({{"file", file.name},
                                 {"duration", in_milliseconds(file.seconds)},
                                 {"speakers", n_speakers},
                                 {"turns", std::move(turns)}});
  }
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace wnpu::app
