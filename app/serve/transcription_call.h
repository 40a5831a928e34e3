// A request for a transcription, from its first byte to its answer.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>

#include "app/input/fetched_recording.h"
#include "app/serve/admission.h"
#include "app/serve/answers.h"
#include "app/serve/api_keys.h"
#include "app/serve/form.h"
#include "app/serve/http/exchange.h"
#include "app/serve/http/multipart.h"
#include "app/serve/log.h"
#include "app/serve/metrics.h"
#include "app/serve/models.h"
#include "app/serve/order.h"
#include "app/serve/realtime/session.h"
#include "app/serve/serve_options.h"

namespace wnpu::serve {

// All that calls share, on the server's thread; it outlives them.
struct Shared {
  const ServeOptions& options;
  Post post;
  InBackground in_background;
  Models& models;
  Admission& admission;
  Metrics& metrics;
  std::shared_ptr<SpoolRoom> spool;
  RealtimeRoom& realtime;
  Log& log;
  ApiKeys& keys;
};

class TranscriptionCall final : public Call,
                                public std::enable_shared_from_this<TranscriptionCall> {
 public:
  // Kind of transcription, and the number of the client's key, if it has one.
  struct Kind {
    Task task;
    std::optional<std::size_t> key;
  };
  // Throws ApiError for a head that no transcription has.
  TranscriptionCall(Shared& shared, const RequestHead& head, const Kind& kind,
                    std::shared_ptr<Client> client);

  void take(std::string_view bytes) override;
  void finish() override;
  void client_left() override;

 private:
  using Clock = std::chrono::steady_clock;

  void begin(const LoadedModelPtr& model, const std::exception_ptr& failure);
  void fetch();
  void submit(const std::string& path);
  RequestCallbacks callbacks();
  void take_beginning(double audio_s);
  void take_segment(const Segment& segment);
  void take_end(const Transcript& transcript, const std::exception_ptr& failure);
  void answer(const Transcript& transcript);
  void fail(const std::exception_ptr& failure);
  void let_go();

  Shared& shared_;
  std::string id_;
  Kind kind_;
  std::shared_ptr<Client> client_;
  Form form_;
  MultipartParser parser_;
  Clock::time_point begun_ = Clock::now();
  Clock::time_point received_;
  Order order_;
  std::shared_ptr<void> place_;
  LoadedModelPtr model_;
  std::unique_ptr<app::FetchedRecording> fetched_;
  std::shared_ptr<SpoolFile> file_;
  Request request_;
  bool is_submitted_ = false;
  bool is_begun_ = false;  // events have begun
  std::atomic<bool> has_left_{false};
  TextSoFar text_;
};

}  // namespace wnpu::serve
