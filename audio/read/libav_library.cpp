#include "audio/read/libav_library.h"

#include "audio/read/libraries.h"

namespace wnpu::audio {
namespace {

std::string find_audio_codec_names() {
  std::string names;
  void* place = nullptr;
  while (const AVCodec* codec = libav().av_codec_iterate(&place)) {
    if (codec->type != AVMEDIA_TYPE_AUDIO) continue;
    if (!names.empty()) names += ',';
    names += codec->name;
  }
  return names;
}

template <typename Load>
std::string problem_of(const Load& load) {
  try {
    load();
    return {};
  } catch (const MissingLibrary& error) {
    return error.what();
  }
}

}  // namespace

std::vector<OptionalLibrary> optional_libraries() {
  return {
      {"libavformat, libavcodec", "compressed audio and more than two channels", problem_of(libav)},
      {"libswresample", "rates other than 16 kHz", problem_of(swresample)}};
}

models::SharedLibrary<MissingLibrary> ffmpeg_library(const std::string& library,
                                                     int major_version) {
  const std::string version = std::to_string(major_version);
  return {library + ".so." + version, "FFmpeg's library", library + version};
}

const Libav& libav() {
  static const Libav kAll;
  return kAll;
}

const Swresample& swresample() {
  static const Swresample kAll;
  return kAll;
}

const std::string& audio_codec_names() {
  static const std::string kNames = find_audio_codec_names();
  return kNames;
}

}  // namespace wnpu::audio
