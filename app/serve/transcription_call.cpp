#include "app/serve/transcription_call.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iostream>

#include "app/serve/http/api_error.h"
#include "app/system/url.h"

namespace wnpu::serve {
namespace {

constexpr const char* kFileName = "file";  // of an upload, in messages
// Log-mel that a request keeps in memory, ten minutes: many are read and wait.
constexpr std::uint64_t kFeatureBytes = std::uint64_t{20} << 20U;

double seconds_between(std::chrono::steady_clock::time_point begin,
                       std::chrono::steady_clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

std::string boundary_in(const RequestHead& head) {
  const std::string boundary = boundary_of(head.content_type);
  if (!boundary.empty()) return boundary;
  throw ApiError(415, "Content-Type: expected multipart/form-data with a boundary, found " +
                          (head.content_type.empty() ? "none" : head.content_type));
}

void check_length(const RequestHead& head, std::uint64_t most) {
  if (!head.content_length && !head.is_chunked) {
    throw ApiError(411, "Content-Length: expected the body's, or Transfer-Encoding: chunked");
  }
  if (head.content_length.value_or(0) > most) {
    throw ApiError(413,
                   "body: expected at most " + std::to_string(most) + " bytes, found " +
                       std::to_string(*head.content_length),
                   "", "body_too_large");
  }
}

ApiError too_long(double most_s, double found_s) {
  return {413,
          "file: expected at most " + std::to_string(std::llround(most_s)) +
              " seconds of audio, found " + (found_s > most_s ? "more" : std::to_string(found_s)),
          "file", "audio_too_long"};
}

}  // namespace

TranscriptionCall::TranscriptionCall(Shared& shared, const RequestHead& head, const Kind& kind,
                                     std::shared_ptr<Client> client)
    : shared_(shared),
      id_(head.id),
      kind_(kind),
      client_(std::move(client)),
      form_(shared.spool),
      parser_(boundary_in(head), form_) {
  check_length(head, shared.options.limits.body_bytes);
  shared.admission.check(shared.models.load());
}

void TranscriptionCall::take(std::string_view bytes) { parser_.take(bytes); }

void TranscriptionCall::finish() {
  parser_.finish();
  received_ = Clock::now();
  shared_.metrics.add_stage(Stage::receive, seconds_between(begun_, received_));
  order_ = read_order(form_.fields(), kind_.task, shared_.options.work);
  const std::string& model = shared_.models.find(order_.model);
  file_ = form_.file();
  if (!file_ && order_.url.empty()) {
    throw ApiError(400, "file: expected a recording, found none", kFileName, "missing_field");
  }
  if (file_ && !order_.url.empty()) {
    throw ApiError(400, "url and file exclude each other", "url", "invalid_value");
  }
  if (!order_.url.empty() && !shared_.options.work.allows_urls) {
    throw ApiError(400, "url: this server fetches none", "url", "unsupported_value");
  }
  if (!order_.url.empty() && !app::is_web_url(order_.url)) {
    throw ApiError(400, "url: expected one of http or https", "url", "invalid_value");
  }
  shared_.admission.check(shared_.models.load());
  place_ = shared_.admission.enter();
  shared_.models.use(model, [self = shared_from_this()](const LoadedModelPtr& loaded,
                                                        const std::exception_ptr& failure) {
    self->begin(loaded, failure);
  });
}

void TranscriptionCall::client_left() {
  has_left_ = true;
  client_.reset();
  shared_.metrics.count_cancelled();
  if (is_submitted_) request_.cancel();
}

void TranscriptionCall::begin(const LoadedModelPtr& model, const std::exception_ptr& failure) {
  if (has_left_) return let_go();
  if (failure) return fail(failure);
  model_ = model;
  if (file_) return submit(file_->path());
  shared_.in_background([self = shared_from_this()] { self->fetch(); });
}

// In the background.
void TranscriptionCall::fetch() {
  std::exception_ptr failure;
  try {
    fetched_ = std::make_unique<app::FetchedRecording>(
        app::fetch_request(shared_.options.work, order_.url, "url",
                           [this] { return has_left_.load(); }),
        std::cerr);
  } catch (...) {
    failure = std::current_exception();
  }
  shared_.post([self = shared_from_this(), failure] {
    if (self->has_left_) return self->let_go();
    if (failure) return self->fail(failure);
    self->submit(self->fetched_->path());
  });
}

void TranscriptionCall::submit(const std::string& path) {
  Audio audio = shared_.options.work.each_audio;
  audio.path = path;
  audio.name = kFileName;
  audio.duration_s = shared_.options.limits.audio_s + 1;  // more is not read
  TranscribeOptions options = order_.transcribe;
  options.feature_bytes = std::min(options.feature_bytes, kFeatureBytes);
  try {
    request_ = model_->service.submit(std::move(audio), options, callbacks());
    is_submitted_ = true;
  } catch (...) {
    fail(std::current_exception());
  }
}

// They come on the service's threads. What they hold keeps the call until it has ended.
RequestCallbacks TranscriptionCall::callbacks() {
  const auto self = shared_from_this();
  const double most_s = shared_.options.limits.audio_s;
  RequestCallbacks callbacks;
  callbacks.on_beginning = [self, most_s](const Beginning& beginning) {
    if (beginning.duration > most_s) throw too_long(most_s, beginning.duration);
    self->shared_.post(
        std::bind_front(&TranscriptionCall::take_beginning, self, beginning.duration));
  };
  if (order_.is_streamed) {
    callbacks.on_segment = [self](const Segment& segment) {
      self->shared_.post(std::bind_front(&TranscriptionCall::take_segment, self, segment));
    };
  }
  callbacks.done = [self](Transcript transcript, const std::exception_ptr& failure) {
    self->shared_.post(
        std::bind_front(&TranscriptionCall::take_end, self, std::move(transcript), failure));
  };
  return callbacks;
}

void TranscriptionCall::take_beginning(double audio_s) {
  shared_.keys.add_audio(kind_.key, audio_s, std::chrono::system_clock::now());
  shared_.metrics.add_stage(Stage::wait, seconds_between(received_, Clock::now()));
  if (!order_.is_streamed || !client_) return;
  is_begun_ = true;
  client_->begin(event_stream());
}

void TranscriptionCall::take_segment(const Segment& segment) {
  const std::string delta = text_.add(segment.text);
  if (client_) client_->event(delta_event(delta, segment, order_.wants_words));
}

void TranscriptionCall::take_end(const Transcript& transcript, const std::exception_ptr& failure) {
  if (has_left_) return let_go();
  if (failure) return fail(failure);
  const double seconds = seconds_between(received_, Clock::now());
  shared_.metrics.add_transcript(transcript, seconds);
  shared_.admission.note_speed(transcript.input.duration, transcript.timing.total);
  answer(transcript);
  let_go();
}

void TranscriptionCall::answer(const Transcript& transcript) {
  if (!order_.is_streamed) return client_->whole(answer_of(transcript, order_));
  if (!is_begun_) client_->begin(event_stream());
  client_->event(done_event(text_.all(), transcript));
  client_->end();
}

void TranscriptionCall::fail(const std::exception_ptr& failure) {
  const ApiError error = api_error_of(failure);
  shared_.metrics.count_refusal(error);
  shared_.log.failure(id_, error, failure);
  if (client_ && is_begun_) {
    client_->event(error_event(error_json(error)));
    client_->end();
  } else if (client_) {
    client_->whole(answer_of(error));
  }
  let_go();
}

// Frees what others wait for, whoever still holds the call.
void TranscriptionCall::let_go() {
  client_.reset();
  is_submitted_ = false;
  request_ = {};  // its callbacks hold this call
  place_.reset();
  model_.reset();
  file_.reset();
  fetched_.reset();
  form_ = Form(shared_.spool);
}

}  // namespace wnpu::serve
