#include "app/worker/row_server.h"

#include <chrono>
#include <deque>
#include <exception>
#include <map>
#include <poll.h>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/cli/exit_code.h"
#include "app/engine/error.h"
#include "app/formats/json_parts.h"
#include "app/urls/url.h"
#include "app/worker/row_fields.h"

namespace wnpu::app {
namespace {

using nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

// What a row counts whose length nobody said: a window of the model.
constexpr double kUsualSeconds = 30;

struct QueuedRow {
  std::size_t number = 0;
  std::string path;
  double start_s = 0;
  std::optional<double> duration_s;
  std::string language;

  double seconds() const { return duration_s.value_or(kUsualSeconds); }
};

QueuedRow row_of(const ordered_json& message) {
  const auto path = message.at("path").get<std::vector<unsigned char>>();
  QueuedRow row{message.at("row"),
                {path.begin(), path.end()},
                message.at("offset"),
                {},
                message.at("language")};
  if (!message.at("duration").is_null()) row.duration_s = message.at("duration").get<double>();
  return row;
}

class RowServer {
 public:
  RowServer(Channel& channel, const Serving& serving) : channel_(channel), serving_(serving) {}

  void serve(const TranscribeEach& transcribe_each) {
    while (!is_ended_) {
      n_given_ = 0;
      try {
        transcribe_each(serving_.limits.n_together, callbacks());
      } catch (const std::exception& error) {
        // Of several rows at work each is tried alone in a process that has no part in it.
        if (at_work_.size() != 1 || !is_of_one_file(error)) throw;
        answer(at_work_.begin()->first, fields_of(error));
      }
      if (is_hung_up()) return;
    }
  }

 private:
  struct AtWorkRow {
    QueuedRow row;
    double share_before_s = 0;
    std::unique_ptr<FetchedRecording> fetched = nullptr;  // of a URL
  };

  RecordingCallbacks callbacks() {
    return {[this](const AtWork&) { return next(); },
            [this](std::size_t number, const Transcript& transcript,
                   const std::exception_ptr& failure) { done(number, transcript, failure); },
            [this] { return is_hung_up(); }};
  }

  // The other side is gone, or wants nothing more.
  bool is_hung_up() const {
    pollfd state{channel_.descriptor(), 0, 0};
    return ::poll(&state, 1, 0) > 0 && (state.revents & (POLLHUP | POLLERR)) != 0;
  }

  std::optional<Recording> next() {
    while (const auto row = next_row()) {
      std::unique_ptr<FetchedRecording> fetched;
      if (is_web_url(row->path)) {
        fetched = fetch(*row);
        if (!fetched) continue;
      }
      note_share();
      Recording recording{.audio = {.path = fetched ? fetched->path() : row->path,
                                    .track = serving_.audio_track,
                                    .start_s = row->start_s,
                                    .duration_s = row->duration_s,
                                    .name = fetched ? shown_url(row->path) : ""},
                          .language = row->language};
      at_work_.emplace(n_given_++, AtWorkRow{*row, share_s_, std::move(fetched)});
      return recording;
    }
    return std::nullopt;
  }

  // The row that is begun now; nothing: none may be, or will come.
  std::optional<QueuedRow> next_row() {
    receive();
    while (queue_.empty() && at_work_.empty() && !is_ended_) {
      pollfd wanted{channel_.descriptor(), POLLIN, 0};
      ::poll(&wanted, 1, -1);
      receive();
    }
    if (queue_.empty()) return std::nullopt;
    double seconds = queue_.front().seconds();
    for (const auto& [number, at_work] : at_work_) seconds += at_work.row.seconds();
    if (!at_work_.empty() && seconds > serving_.limits.seconds_together) return std::nullopt;
    QueuedRow row = std::move(queue_.front());
    queue_.pop_front();
    channel_.send_now({{kRowBegan, row.number}});
    return row;
  }

  // Nothing where it failed, which is answered then, or where nobody wants more.
  std::unique_ptr<FetchedRecording> fetch(const QueuedRow& row) {
    const Clock::time_point begin = Clock::now();
    try {
      return serving_.fetch(row.path, [this] { return is_hung_up(); });
    } catch (const std::exception& error) {
      if (error_code(error) == ErrorCode::stopped) {
        queue_.clear();
        is_ended_ = true;
        return nullptr;
      }
      if (!is_of_one_file(error)) throw;
      ordered_json fields = fields_of(error);
      const std::chrono::duration<double> passed = Clock::now() - begin;
      fields["seconds"] = wall_time(passed.count());
      channel_.send_now({{kRowAnswered, row.number}, {kFields, std::move(fields)}});
    }
    return nullptr;
  }

  void receive() {
    if (is_ended_) return;
    is_ended_ =
        !channel_.receive([this](ordered_json&& message) { queue_.push_back(row_of(message)); });
  }

  void done(std::size_t number, const Transcript& transcript, const std::exception_ptr& failure) {
    if (!failure) {
      if (transcript.truncated) return;
      if (serving_.on_transcript) serving_.on_transcript(transcript);
      return answer(number, fields_of(transcript, serving_.with_words));
    }
    try {
      std::rethrow_exception(failure);
    } catch (const std::exception& error) {
      if (error_code(error) == ErrorCode::stopped) return;
      answer(number, fields_of(error));
    }
  }

  void answer(std::size_t number, ordered_json fields) {
    note_share();
    const AtWorkRow& ended = at_work_.at(number);
    fields["seconds"] = wall_time(share_s_ - ended.share_before_s);
    channel_.send_now({{kRowAnswered, ended.row.number}, {kFields, std::move(fields)}});
    at_work_.erase(number);
  }

  // Time that passes is divided among the rows that are at work meanwhile.
  void note_share() {
    const Clock::time_point now = Clock::now();
    const std::chrono::duration<double> passed = now - noted_;
    if (!at_work_.empty()) share_s_ += passed.count() / static_cast<double>(at_work_.size());
    noted_ = now;
  }

  Channel& channel_;
  const Serving& serving_;
  std::deque<QueuedRow> queue_;
  std::map<std::size_t, AtWorkRow> at_work_;  // by the engine's numbers
  std::size_t n_given_ = 0;
  bool is_ended_ = false;  // no more rows will come
  double share_s_ = 0;     // what a row has had that has been at work from the start
  Clock::time_point noted_ = Clock::now();
};

}  // namespace

void serve_rows(Channel& channel, const Serving& serving, const TranscribeEach& transcribe_each) {
  RowServer(channel, serving).serve(transcribe_each);
}

ordered_json row_message(std::size_t number, const Row& row) {
  ordered_json message = {{"row", number},
                          // A path need not be UTF-8.
                          {"path", std::vector<unsigned char>(row.path.begin(), row.path.end())},
                          {"offset", row.offset_s},
                          {"duration", nullptr},
                          {"language", row.language}};
  if (row.duration_s) message["duration"] = *row.duration_s;
  return message;
}

}  // namespace wnpu::app
