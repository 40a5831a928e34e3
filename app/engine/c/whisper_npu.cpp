#include "app/engine/whisper_npu.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>

#include "app/engine/c/options.h"
#include "app/engine/c/status.h"
#include "app/engine/c/transcript.h"
#include "app/engine/whisper_npu.hpp"

// NOLINTBEGIN(readability-identifier-naming): C
struct whisper_npu_model {
  wnpu::Model model;
};

struct whisper_npu_session {
  wnpu::Session session;
};
// NOLINTEND(readability-identifier-naming)

namespace wnpu::c {
namespace {

// *out = make(), NULL where that throws.
template <typename T, typename F>
whisper_npu_status give(T** out, const F& make) noexcept {
  if (out != nullptr) *out = nullptr;
  return guarded([&] {
    expect(out, "where the result goes");
    *out = make().release();
  });
}

// get(*object); nothing for NULL.
template <typename T, typename F>
auto ask(const T* object, const char* name, const F& get) noexcept -> decltype(get(*object)) {
  if (object != nullptr) return get(*object);
  guarded([&] { expect(object, name); });
  return {};
}

// C's callbacks, and whether one of them asked to stop.
class Caller {
 public:
  explicit Caller(const whisper_npu_callbacks& c) : c_(c) {}

  Callbacks callbacks() {
    Callbacks callbacks;
    if (c_.on_segment != nullptr) {
      callbacks.on_segment = [this](const Segment& segment) {
        if (is_stopped_) return;
        const CSegment c(segment);
        note(c_.on_segment(c_.user, c.get()));
      };
    }
    if (c_.on_progress != nullptr) {
      callbacks.on_progress = [this](double done_s, double total_s) {
        if (!is_stopped_) note(c_.on_progress(c_.user, done_s, total_s));
      };
    }
    callbacks.should_stop = [this] {
      if (!is_stopped_ && c_.should_stop != nullptr) note(c_.should_stop(c_.user));
      return is_stopped_.load();
    };
    return callbacks;
  }

 private:
  void note(int answer) {
    if (answer != 0) is_stopped_ = true;
  }

  whisper_npu_callbacks c_;
  std::atomic<bool> is_stopped_{false};
};

}  // namespace
}  // namespace wnpu::c

using namespace wnpu::c;  // NOLINT(google-build-using-namespace)

const char* whisper_npu_version() { return WNPU_VERSION; }

const char* whisper_npu_error_text() { return error_text(); }

whisper_npu_status whisper_npu_model_options_init(whisper_npu_model_options* options, size_t size) {
  return guarded([&] { init(options, size); });
}

whisper_npu_status whisper_npu_audio_init(whisper_npu_audio* audio, size_t size) {
  return guarded([&] { init(audio, size); });
}

whisper_npu_status whisper_npu_transcribe_options_init(whisper_npu_transcribe_options* options,
                                                       size_t size) {
  return guarded([&] { init(options, size); });
}

whisper_npu_status whisper_npu_callbacks_init(whisper_npu_callbacks* callbacks, size_t size) {
  return guarded([&] { init(callbacks, size); });
}

whisper_npu_status whisper_npu_model_open(const char* name_or_path,
                                          const whisper_npu_model_options* options,
                                          whisper_npu_model** model) {
  return give(model, [&] {
    expect(name_or_path, "name_or_path");
    return std::unique_ptr<whisper_npu_model>(
        new whisper_npu_model{wnpu::Model(name_or_path, to_engine(options))});
  });
}

void whisper_npu_model_free(whisper_npu_model* model) { delete model; }

const char* whisper_npu_model_device(const whisper_npu_model* model) {
  return ask(model, "model", [](const auto& m) { return m.model.device().used.c_str(); });
}

int whisper_npu_model_is_multilingual(const whisper_npu_model* model) {
  return ask(model, "model", [](const auto& m) { return m.model.is_multilingual() ? 1 : 0; });
}

whisper_npu_status whisper_npu_session_open(const whisper_npu_model* model, uint64_t threads,
                                            whisper_npu_session** session) {
  return give(session, [&] {
    expect(model, "model");
    const auto n = std::min<uint64_t>(threads, std::numeric_limits<unsigned>::max());
    return std::unique_ptr<whisper_npu_session>(
        new whisper_npu_session{wnpu::Session(model->model, static_cast<unsigned>(n))});
  });
}

void whisper_npu_session_free(whisper_npu_session* session) { delete session; }

uint64_t whisper_npu_session_threads(const whisper_npu_session* session) {
  return ask(session, "session", [](const auto& s) { return uint64_t{s.session.threads()}; });
}

whisper_npu_status whisper_npu_transcribe(whisper_npu_session* session,
                                          const whisper_npu_audio* audio,
                                          const whisper_npu_transcribe_options* options,
                                          const whisper_npu_callbacks* callbacks,
                                          whisper_npu_transcript** transcript) {
  return give(transcript, [&] {
    expect(session, "session");
    Caller caller(whole(callbacks));
    return std::make_unique<whisper_npu_transcript>(
        session->session.transcribe(to_engine(audio), to_engine(options), caller.callbacks()));
  });
}

void whisper_npu_transcript_free(whisper_npu_transcript* transcript) { delete transcript; }

const char* whisper_npu_transcript_text(const whisper_npu_transcript* transcript) {
  return ask(transcript, "transcript", [](const auto& t) { return t.text.c_str(); });
}

const char* whisper_npu_transcript_language(const whisper_npu_transcript* transcript) {
  return ask(transcript, "transcript", [](const auto& t) { return t.transcript.language.c_str(); });
}

double whisper_npu_transcript_duration(const whisper_npu_transcript* transcript) {
  return ask(transcript, "transcript", [](const auto& t) { return t.transcript.input.duration; });
}

int whisper_npu_transcript_is_truncated(const whisper_npu_transcript* transcript) {
  return ask(transcript, "transcript",
             [](const auto& t) { return t.transcript.truncated ? 1 : 0; });
}

uint64_t whisper_npu_transcript_n_segments(const whisper_npu_transcript* transcript) {
  return ask(transcript, "transcript", [](const auto& t) { return uint64_t{t.segments.size()}; });
}

const whisper_npu_segment* whisper_npu_transcript_segment(const whisper_npu_transcript* transcript,
                                                          uint64_t i) {
  return ask(transcript, "transcript",
             [i](const auto& t) { return i < t.segments.size() ? t.segments[i].get() : nullptr; });
}

uint64_t whisper_npu_transcript_n_warnings(const whisper_npu_transcript* transcript) {
  return ask(transcript, "transcript",
             [](const auto& t) { return uint64_t{t.transcript.warnings.size()}; });
}

const char* whisper_npu_transcript_warning(const whisper_npu_transcript* transcript, uint64_t i) {
  return ask(transcript, "transcript", [i](const auto& t) -> const char* {
    const auto& warnings = t.transcript.warnings;
    return i < warnings.size() ? warnings[i].c_str() : nullptr;
  });
}
