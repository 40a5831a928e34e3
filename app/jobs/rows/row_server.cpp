#include "app/jobs/rows/row_server.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <exception>
#include <map>
#include <poll.h>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/engine/error.h"
#include "app/formats/json_parts.h"
#include "app/jobs/rows/row_fields.h"
#include "app/options/exit_code.h"
#include "app/system/url.h"

namespace wnpu::app {
namespace {

using nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

// Seconds assumed for a row of unknown length: a window of the model.
constexpr double kUsualSeconds = 30;

struct QueuedRow {
  std::size_t number = 0;
  std::string path;
  double start_s = 0;
  std::optional<double> duration_s;
  std::string language;

  double seconds() const { return duration_s.value_or(kUsualSeconds); }
};

QueuedRow queued_row(const ordered_json& message) {
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
  RowServer(Channel& channel, const Serving& serving)
      : channel_(channel),
        serving_(serving),
        fetch_ahead_(serving.fetch, [this] { return is_hung_up(); }) {}

  void serve(const TranscribeEach& transcribe_each) {
    while (!is_ended_) {
      n_given_ = 0;
      try {
        transcribe_each(serving_.limits.n_together, callbacks());
      } catch (const std::exception& error) {
        // Several rows at work are each tried alone, by a process that has no part in this error.
        if (at_work_.size() != 1 || !is_of_one_file(error)) throw;
        answer(at_work_.begin()->first, fields_of(error));
      }
      if (is_hung_up()) return;
    }
  }

 private:
  struct ReadyRow {
    QueuedRow row;
    std::unique_ptr<FetchedRecording> fetched = nullptr;  // of a URL
  };
  struct AtWorkRow {
    ReadyRow ready;
    double share_before_s = 0;
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
    std::optional<ReadyRow> ready = next_row();
    if (!ready) return std::nullopt;
    const QueuedRow& row = ready->row;
    const FetchedRecording* const fetched = ready->fetched.get();
    note_share();
    Recording recording{.audio = serving_.audio, .language = row.language};
    recording.audio.path = fetched ? fetched->path() : row.path;
    recording.audio.name = fetched ? shown_url(row.path) : "";
    recording.audio.start_s = row.start_s;
    recording.audio.duration_s = row.duration_s;
    at_work_.emplace(n_given_++, AtWorkRow{std::move(*ready), share_s_});
    return recording;
  }

  // The row that the engine begins now: one that was fetched, else the first of a file; nothing:
  // none may be, or will come.
  std::optional<ReadyRow> next_row() {
    prepare();
    while (!has_ready() && at_work_.empty() && !is_over()) {
      std::array<pollfd, 2> wanted{pollfd{channel_.descriptor(), POLLIN, 0},
                                   pollfd{fetch_ahead_.descriptor(), POLLIN, 0}};
      if (is_ended_) wanted[0].fd = -1;  // what is being fetched looks whether anybody wants it
      ::poll(wanted.data(), wanted.size(), -1);
      prepare();
    }
    if (!has_ready()) return std::nullopt;
    double seconds =
        ready_.empty() ? first_row(Source::file)->seconds() : ready_.front().row.seconds();
    for (const auto& [number, at_work] : at_work_) seconds += at_work.ready.row.seconds();
    if (!at_work_.empty() && seconds > serving_.limits.seconds_together) return std::nullopt;
    ReadyRow ready;
    if (ready_.empty()) {
      ready.row = take(first_row(Source::file));
    } else {
      ready = std::move(ready_.front());
      ready_.pop_front();
    }
    return ready;
  }

  bool has_ready() { return !ready_.empty() || first_row(Source::file) != queue_.end(); }
  bool is_over() const { return is_ended_ && queue_.empty() && fetching_.empty(); }

  using Place = std::deque<QueuedRow>::iterator;
  enum class Source { file, url };
  Place first_row(Source source) {
    return std::ranges::find_if(queue_, [source](const QueuedRow& row) {
      return is_web_url(row.path) == (source == Source::url);
    });
  }

  // Out of the queue: it is begun.
  QueuedRow take(const Place& place) {
    QueuedRow row = std::move(*place);
    queue_.erase(place);
    channel_.send_now({{kRowBegan, row.number}});
    return row;
  }

  // Takes what has come: rows, and recordings that were fetched. As many may be fetched, or wait
  // for the engine, as it takes together.
  void prepare() {
    receive();
    while (auto fetched = fetch_ahead_.take()) take(std::move(*fetched));
    while (fetching_.size() + ready_.size() < serving_.limits.n_together) {
      const Place url = first_row(Source::url);
      if (url == queue_.end()) return;
      QueuedRow row = take(url);
      const auto [begun, is_new] = fetching_.emplace(row.number, std::move(row));
      fetch_ahead_.order(begun->first, begun->second.path);
    }
  }

  // A row whose recording could not be fetched is answered.
  void take(Fetched fetched) {
    auto row = fetching_.extract(fetched.number);
    if (!fetched.failure) {
      ready_.push_back({std::move(row.mapped()), std::move(fetched.recording)});
      return;
    }
    try {
      std::rethrow_exception(fetched.failure);
    } catch (const std::exception& error) {
      if (error_code(error) == ErrorCode::stopped) {
        queue_.clear();
        is_ended_ = true;
        return;
      }
      if (!is_of_one_file(error)) throw;
      ordered_json fields = fields_of(error);
      fields["seconds"] = wall_time(fetched.seconds);
      channel_.send_now({{kRowAnswered, fetched.number}, {kFields, std::move(fields)}});
    }
  }

  void receive() {
    if (is_ended_) return;
    is_ended_ = !channel_.receive(
        [this](ordered_json&& message) { queue_.push_back(queued_row(message)); });
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
    channel_.send_now({{kRowAnswered, ended.ready.row.number}, {kFields, std::move(fields)}});
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
  std::map<std::size_t, QueuedRow> fetching_;  // by their numbers
  std::deque<ReadyRow> ready_;
  std::map<std::size_t, AtWorkRow> at_work_;  // by the engine's numbers
  std::size_t n_given_ = 0;
  bool is_ended_ = false;  // no more rows will come
  double share_s_ = 0;     // what a row has had that has been at work from the start
  Clock::time_point noted_ = Clock::now();
  FetchAhead fetch_ahead_;  // gone before what it asks
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
