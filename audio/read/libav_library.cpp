#include "audio/read/libav_library.h"

#include <string>

#include "audio/read/error.h"
#include "audio/read/libraries.h"
#include "models/base/shared_library.h"

namespace wnpu::audio {
namespace {

// The major version is the interface that we are compiled against; Debian's package has it, too.
models::SharedLibrary<MissingLibrary> library_of(const std::string& name, int major_version) {
  const std::string version = std::to_string(major_version);
  return {name + ".so." + version, "FFmpeg's library", name + version};
}

Libav load_libav() {
  Libav all{};
  const auto avformat = library_of("libavformat", LIBAVFORMAT_VERSION_MAJOR);
  avformat.find("avformat_alloc_context", all.avformat_alloc_context);
  avformat.find("avformat_open_input", all.avformat_open_input);
  avformat.find("avformat_find_stream_info", all.avformat_find_stream_info);
  avformat.find("avformat_close_input", all.avformat_close_input);
  avformat.find("avio_alloc_context", all.avio_alloc_context);
  avformat.find("avio_context_free", all.avio_context_free);
  avformat.find("av_find_best_stream", all.av_find_best_stream);
  avformat.find("av_read_frame", all.av_read_frame);
  const auto avcodec = library_of("libavcodec", LIBAVCODEC_VERSION_MAJOR);
  avcodec.find("av_codec_iterate", all.av_codec_iterate);
  avcodec.find("avcodec_alloc_context3", all.avcodec_alloc_context3);
  avcodec.find("avcodec_free_context", all.avcodec_free_context);
  avcodec.find("avcodec_open2", all.avcodec_open2);
  avcodec.find("avcodec_parameters_to_context", all.avcodec_parameters_to_context);
  avcodec.find("avcodec_receive_frame", all.avcodec_receive_frame);
  avcodec.find("avcodec_send_packet", all.avcodec_send_packet);
  avcodec.find("av_packet_alloc", all.av_packet_alloc);
  avcodec.find("av_packet_free", all.av_packet_free);
  avcodec.find("av_packet_unref", all.av_packet_unref);
  const auto avutil = library_of("libavutil", LIBAVUTIL_VERSION_MAJOR);
  avutil.find("av_dict_free", all.av_dict_free);
  avutil.find("av_dict_set", all.av_dict_set);
  avutil.find("av_frame_alloc", all.av_frame_alloc);
  avutil.find("av_frame_free", all.av_frame_free);
  avutil.find("av_freep", all.av_freep);
  avutil.find("av_log_set_level", all.av_log_set_level);
  avutil.find("av_malloc", all.av_malloc);
  avutil.find("av_strerror", all.av_strerror);
  all.av_log_set_level(AV_LOG_QUIET);
  return all;
}

Swresample load_swresample() {
  Swresample all{};
  const auto swr = library_of("libswresample", LIBSWRESAMPLE_VERSION_MAJOR);
  swr.find("swr_alloc_set_opts2", all.swr_alloc_set_opts2);
  swr.find("swr_convert", all.swr_convert);
  swr.find("swr_free", all.swr_free);
  swr.find("swr_get_out_samples", all.swr_get_out_samples);
  swr.find("swr_init", all.swr_init);
  swr.find("swr_set_matrix", all.swr_set_matrix);
  const auto avutil = library_of("libavutil", LIBAVUTIL_VERSION_MAJOR);
  avutil.find("av_channel_layout_default", all.av_channel_layout_default);
  avutil.find("av_channel_layout_from_mask", all.av_channel_layout_from_mask);
  avutil.find("av_log_set_level", all.av_log_set_level);
  all.av_log_set_level(AV_LOG_QUIET);
  return all;
}

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

const Libav& libav() {
  static const Libav kAll = load_libav();
  return kAll;
}

const Swresample& swresample() {
  static const Swresample kAll = load_swresample();
  return kAll;
}

const std::string& audio_codec_names() {
  static const std::string kNames = find_audio_codec_names();
  return kNames;
}

}  // namespace wnpu::audio
