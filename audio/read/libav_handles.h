// libav's objects, freed with their owner, and its bytes, which come from an InputFile.
#pragma once

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <new>
#include <span>
#include <string>

#include "audio/read/input_file.h"
#include "audio/read/libav_library.h"

namespace wnpu::audio {

inline std::string error_text(int error) {
  std::array<char, AV_ERROR_MAX_STRING_SIZE> text{};
  libav().av_strerror(error, text.data(), text.size());
  return text.data();
}

template <typename T>
T* check_memory(T* made) {
  if (made == nullptr) throw std::bad_alloc();
  return made;
}

// Error code of libav: throws std::bad_alloc for lack of memory. ENOMEM may mean a header with an
// absurd size too: memory lacks only where there is none for this allocation either.
inline void check_memory(int error) {
  constexpr std::size_t kEnoughForAnyHeader = std::size_t{64} << 20U;
  if (error != AVERROR(ENOMEM)) return;
  void* memory = check_memory(libav().av_malloc(kEnoughForAnyHeader));
  libav().av_freep(&memory);
}

struct FreeIo {
  void operator()(AVIOContext* io) const {
    libav().av_freep(&io->buffer);
    libav().avio_context_free(&io);
  }
};
struct FreeFormat {
  void operator()(AVFormatContext* format) const { libav().avformat_close_input(&format); }
};
struct FreeCodec {
  void operator()(AVCodecContext* codec) const { libav().avcodec_free_context(&codec); }
};
struct FreePacket {
  void operator()(AVPacket* packet) const { libav().av_packet_free(&packet); }
};
struct FreeFrame {
  void operator()(AVFrame* frame) const { libav().av_frame_free(&frame); }
};

inline int read_bytes(void* opaque, std::uint8_t* out, int size) {
  auto& stream = *static_cast<ByteStream*>(opaque);
  const std::size_t n =
      stream.read(std::as_writable_bytes(std::span(out, static_cast<std::size_t>(size))));
  return n == 0 ? AVERROR_EOF : static_cast<int>(n);
}

inline std::int64_t seek_bytes(void* opaque, std::int64_t offset, int whence) {
  auto& stream = *static_cast<ByteStream*>(opaque);
  const auto size = static_cast<std::int64_t>(stream.file.size());
  if (whence == AVSEEK_SIZE) return size;
  whence &= ~AVSEEK_FORCE;
  if (whence == SEEK_CUR) offset += stream.position;
  if (whence == SEEK_END) offset += size;
  if (offset < 0) return AVERROR(EINVAL);
  stream.position = offset;
  return offset;
}

}  // namespace wnpu::audio
