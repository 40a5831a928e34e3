// FFmpeg's libraries, loaded when the first file needs them: libavformat and libavcodec bring 120
// more, which cost a program that reads a WAV 40 ms and 25 MB; libswresample brings 20, which cost
// 4 ms.
#pragma once

#include <string>

extern "C" {
#include <libswresample/swresample.h>

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/channel_layout.h>
#include <libavutil/log.h>
#include <libavutil/samplefmt.h>
}

#include "audio/read/error.h"
#include "models/base/shared_library.h"

namespace wnpu::audio {

// One of them. The major version is the interface that we are compiled against; Debian's package
// has it, too. Throws MissingLibrary, as find() does.
models::SharedLibrary<MissingLibrary> ffmpeg_library(const std::string& library, int major_version);

// A function of a library, by its name there.
#define WNPU_FIND(library, function) /* NOLINT(cppcoreguidelines-macro-usage) */ \
  decltype(&::function) function = (library).find(#function)

struct Libav {
  Libav() { av_log_set_level(AV_LOG_QUIET); }

  models::SharedLibrary<MissingLibrary> avformat =
      ffmpeg_library("libavformat", LIBAVFORMAT_VERSION_MAJOR);
  WNPU_FIND(avformat, avformat_alloc_context);
  WNPU_FIND(avformat, avformat_open_input);
  WNPU_FIND(avformat, avformat_find_stream_info);
  WNPU_FIND(avformat, avformat_close_input);
  WNPU_FIND(avformat, avio_alloc_context);
  WNPU_FIND(avformat, avio_context_free);
  WNPU_FIND(avformat, av_find_best_stream);
  WNPU_FIND(avformat, av_read_frame);
  models::SharedLibrary<MissingLibrary> avcodec =
      ffmpeg_library("libavcodec", LIBAVCODEC_VERSION_MAJOR);
  WNPU_FIND(avcodec, av_codec_iterate);
  WNPU_FIND(avcodec, avcodec_alloc_context3);
  WNPU_FIND(avcodec, avcodec_free_context);
  WNPU_FIND(avcodec, avcodec_open2);
  WNPU_FIND(avcodec, avcodec_parameters_to_context);
  WNPU_FIND(avcodec, avcodec_receive_frame);
  WNPU_FIND(avcodec, avcodec_send_packet);
  WNPU_FIND(avcodec, av_packet_alloc);
  WNPU_FIND(avcodec, av_packet_free);
  WNPU_FIND(avcodec, av_packet_unref);
  models::SharedLibrary<MissingLibrary> avutil =
      ffmpeg_library("libavutil", LIBAVUTIL_VERSION_MAJOR);
  WNPU_FIND(avutil, av_dict_free);
  WNPU_FIND(avutil, av_dict_set);
  WNPU_FIND(avutil, av_frame_alloc);
  WNPU_FIND(avutil, av_frame_free);
  WNPU_FIND(avutil, av_freep);
  WNPU_FIND(avutil, av_log_set_level);
  WNPU_FIND(avutil, av_malloc);
  WNPU_FIND(avutil, av_strerror);
};

// libswresample, and what it wants of libavutil.
struct Swresample {
  Swresample() { av_log_set_level(AV_LOG_QUIET); }

  models::SharedLibrary<MissingLibrary> swr =
      ffmpeg_library("libswresample", LIBSWRESAMPLE_VERSION_MAJOR);
  WNPU_FIND(swr, swr_alloc_set_opts2);
  WNPU_FIND(swr, swr_convert);
  WNPU_FIND(swr, swr_free);
  WNPU_FIND(swr, swr_get_out_samples);
  WNPU_FIND(swr, swr_init);
  WNPU_FIND(swr, swr_set_matrix);
  models::SharedLibrary<MissingLibrary> avutil =
      ffmpeg_library("libavutil", LIBAVUTIL_VERSION_MAJOR);
  WNPU_FIND(avutil, av_channel_layout_default);
  WNPU_FIND(avutil, av_channel_layout_from_mask);
  WNPU_FIND(avutil, av_log_set_level);
};

#undef WNPU_FIND

// Loaded at the first call, and quiet: FFmpeg's log would go to stderr. Throws MissingLibrary where
// a library or a function is missing. Any thread.
const Libav& libav();
const Swresample& swresample();

// The names of this FFmpeg's decoders (and encoders) of sound, with commas between: a
// codec_whitelist.
const std::string& audio_codec_names();

}  // namespace wnpu::audio
