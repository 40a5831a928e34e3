#include "app/stream/alsa_capture.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "app/engine/whisper_npu.hpp"
#include "models/base/shared_library.h"

namespace wnpu::app {

struct OpaquePcm;  // snd_pcm_t

namespace {

// Declarations of alsa/pcm.h and alsa/error.h, whose ABI has not changed since libasound.so.2 got
// this name (1998): few enough to need no package for building.
using Pcm = OpaquePcm;
constexpr int kCapture = 1;      // SND_PCM_STREAM_CAPTURE
constexpr int kNonBlocking = 1;  // SND_PCM_NONBLOCK
constexpr int kS16Le = 2;        // SND_PCM_FORMAT_S16_LE
constexpr int kInterleaved = 3;  // SND_PCM_ACCESS_RW_INTERLEAVED
constexpr unsigned kLatencyUs = 500000;
constexpr int kAlsaPatienceMs = 100;

using ErrorHandler = void (*)(const char*, int, const char*, int, const char*, ...);

extern "C" void ignore_alsa_error(const char* /*file*/, int /*line*/, const char* /*function*/,
                                  int /*code*/, const char* /*format*/, ...) {}

struct Alsa {
  models::SharedLibrary<> library{"libasound.so.2", "ALSA's library for --device-input",
                                  "libasound2"};
  int (*open)(Pcm**, const char*, int, int) = library.find("snd_pcm_open");
  int (*set_params)(Pcm*, int, int, unsigned, unsigned, int,
                    unsigned) = library.find("snd_pcm_set_params");
  int (*start)(Pcm*) = library.find("snd_pcm_start");
  int (*wait)(Pcm*, int) = library.find("snd_pcm_wait");
  long (*readi)(Pcm*, void*, unsigned long) = library.find("snd_pcm_readi");
  int (*recover)(Pcm*, int, int) = library.find("snd_pcm_recover");
  int (*close)(Pcm*) = library.find("snd_pcm_close");
  const char* (*strerror)(int) = library.find("snd_strerror");
  int (*set_error_handler)(ErrorHandler) = library.find("snd_lib_error_set_handler");

  Alsa() { set_error_handler(ignore_alsa_error); }  // it would print what is thrown here
};

const Alsa& alsa() {
  static const Alsa kLoaded;
  return kLoaded;
}

}  // namespace

struct AlsaCapture::State {
  std::string name;
  Pcm* pcm = nullptr;
  audio::RawFormat format;
  std::size_t n_gaps = 0;

  ~State() {
    if (pcm != nullptr) alsa().close(pcm);
  }
  [[noreturn]] void fail(const std::string& expected, int code) const {
    throw Error(ErrorCode::device, "--device-input " + name + ": expected " + expected +
                                       ", found: " + alsa().strerror(code));
  }
  void settle_format();
};

// Our rate where the device has it, else one of its own.
void AlsaCapture::State::settle_format() {
  constexpr std::array<int, 5> kRates = {16000, 48000, 44100, 32000, 8000};
  int code = 0;
  for (const int rate : kRates) {
    for (const int channels : {1, 2}) {
      code = alsa().set_params(pcm, kS16Le, kInterleaved, static_cast<unsigned>(channels),
                               static_cast<unsigned>(rate), 0, kLatencyUs);
      if (code < 0) continue;
      format = {audio::SampleFormat::s16le, rate, channels};
      return;
    }
  }
  fail("samples of 16 bits, one or two channels, 8 to 48 kHz", code);
}

AlsaCapture::AlsaCapture(const std::string& name) : state_(std::make_unique<State>()) {
  state_->name = name;
  const int opened = alsa().open(&state_->pcm, name.c_str(), kCapture, kNonBlocking);
  if (opened < 0) {
    state_->pcm = nullptr;
    state_->fail("a device of ALSA that records (arecord -L lists them)", opened);
  }
  state_->settle_format();
  const int started = alsa().start(state_->pcm);
  if (started < 0) state_->fail("a device that starts", started);
}

AlsaCapture::~AlsaCapture() = default;
AlsaCapture::AlsaCapture(AlsaCapture&&) noexcept = default;

const audio::RawFormat& AlsaCapture::format() const { return state_->format; }

std::size_t AlsaCapture::n_gaps() const { return state_->n_gaps; }

std::size_t AlsaCapture::read(std::span<std::byte> out, const std::function<bool()>& should_stop) {
  const std::size_t frame_bytes = 2 * static_cast<std::size_t>(state_->format.channels);
  while (!should_stop()) {
    const long n = alsa().readi(state_->pcm, out.data(), out.size() / frame_bytes);
    if (n > 0) return static_cast<std::size_t>(n) * frame_bytes;
    if (n == 0 || n == -EAGAIN) {
      alsa().wait(state_->pcm, kAlsaPatienceMs);
      continue;
    }
    if (n == -EPIPE) ++state_->n_gaps;
    const int code = alsa().recover(state_->pcm, static_cast<int>(n), 1);
    if (code < 0) state_->fail("samples", code);
    alsa().start(state_->pcm);
  }
  return 0;
}

}  // namespace wnpu::app
