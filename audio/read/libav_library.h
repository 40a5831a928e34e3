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

namespace wnpu::audio {

// The functions that are used, each under its name in its library.
struct Libav {
  // libavformat
  decltype(&::avformat_alloc_context) avformat_alloc_context;
  decltype(&::avformat_open_input) avformat_open_input;
  decltype(&::avformat_find_stream_info) avformat_find_stream_info;
  decltype(&::avformat_close_input) avformat_close_input;
  decltype(&::avio_alloc_context) avio_alloc_context;
  decltype(&::avio_context_free) avio_context_free;
  decltype(&::av_find_best_stream) av_find_best_stream;
  decltype(&::av_read_frame) av_read_frame;
  // libavcodec
  decltype(&::av_codec_iterate) av_codec_iterate;
  decltype(&::avcodec_alloc_context3) avcodec_alloc_context3;
  decltype(&::avcodec_free_context) avcodec_free_context;
  decltype(&::avcodec_open2) avcodec_open2;
  decltype(&::avcodec_parameters_to_context) avcodec_parameters_to_context;
  decltype(&::avcodec_receive_frame) avcodec_receive_frame;
  decltype(&::avcodec_send_packet) avcodec_send_packet;
  decltype(&::av_packet_alloc) av_packet_alloc;
  decltype(&::av_packet_free) av_packet_free;
  decltype(&::av_packet_unref) av_packet_unref;
  // libavutil
  decltype(&::av_dict_free) av_dict_free;
  decltype(&::av_dict_set) av_dict_set;
  decltype(&::av_frame_alloc) av_frame_alloc;
  decltype(&::av_frame_free) av_frame_free;
  decltype(&::av_freep) av_freep;
  decltype(&::av_log_set_level) av_log_set_level;
  decltype(&::av_malloc) av_malloc;
  decltype(&::av_strerror) av_strerror;
};

// libswresample, and what it wants of libavutil.
struct Swresample {
  decltype(&::swr_alloc_set_opts2) swr_alloc_set_opts2;
  decltype(&::swr_convert) swr_convert;
  decltype(&::swr_free) swr_free;
  decltype(&::swr_get_out_samples) swr_get_out_samples;
  decltype(&::swr_init) swr_init;
  decltype(&::swr_set_matrix) swr_set_matrix;
  decltype(&::av_channel_layout_default) av_channel_layout_default;
  decltype(&::av_channel_layout_from_mask) av_channel_layout_from_mask;
  decltype(&::av_log_set_level) av_log_set_level;
};

// Loaded at the first call, and quiet: FFmpeg's log would go to stderr. Throws MissingLibrary where
// a library or a function is missing. Any thread.
const Libav& libav();
const Swresample& swresample();

// The names of this FFmpeg's decoders (and encoders) of sound, with commas between: a
// codec_whitelist.
const std::string& audio_codec_names();

}  // namespace wnpu::audio
