#include "app/jobs/rows/row_queue.h"

#include <utility>

#include "app/jobs/rows/row_fields.h"
#include "app/options/exit_code.h"

namespace wnpu::app {
namespace {

// Results that may wait for an earlier row's.
constexpr std::size_t kMostHeld = 1000;
// Seconds assumed for a row of unknown length, to tell when it hangs.
constexpr double kLongS = 600;

// Perhaps the others took them.
bool lacked_resources(const nlohmann::ordered_json& fields) {
  return fields.contains("error") && fields["error"]["code"] == kResourcesCode;
}

}  // namespace

bool RowQueue::takes_more() const {
  return waiting_.size() < limits_.n_together && entries_.size() < kMostHeld;
}

void RowQueue::add(Row row) {
  const std::size_t number = n_added_++;
  Entry& entry = entries_[number];
  entry.row = std::move(row);
  if (entry.row.fault.empty()) {
    waiting_.insert(number);
  } else {
    auto fields = failure_fields("bad_row", static_cast<int>(ExitCode::usage), entry.row.fault);
    fields["error"]["line"] = entry.row.line;
    // The row's own column of that name passes through.
    const bool has_own = std::ranges::count(entry.row.columns, "line", &Column::name) > 0;
    if (!has_own) fields["line"] = entry.row.line;
    finish(number, std::move(fields));
  }
}

std::optional<RowQueue::Sent> RowQueue::send_next() {
  if (is_one_alone_) return std::nullopt;
  std::set<std::size_t>& from = suspects_.empty() ? waiting_ : suspects_;
  const std::size_t most = suspects_.empty() ? 2 * limits_.n_together : 1;
  if (from.empty() || sent_.size() >= most) return std::nullopt;
  is_one_alone_ = !suspects_.empty();
  const std::size_t number = *from.begin();
  from.erase(from.begin());
  sent_.insert(number);
  Entry& entry = entries_.at(number);
  entry.state = State::sent;
  return Sent{number, entry.row};
}

void RowQueue::begin(std::size_t number) {
  if (!sent_.contains(number) || !at_work_.insert(number).second) return;
  Entry& entry = entries_.at(number);
  entry.state = State::at_work;
  entry.is_alone = at_work_.size() == 1;
  ++entry.attempts;
  if (entry.is_alone) return;
  for (const std::size_t other : at_work_) entries_.at(other).is_alone = false;
}

void RowQueue::answer(std::size_t number, nlohmann::ordered_json fields) {
  if (at_work_.erase(number) == 0) return;
  sent_.erase(number);
  is_one_alone_ = false;
  Entry& entry = entries_.at(number);
  if (!entry.is_alone && lacked_resources(fields)) {
    entry.state = State::waiting;
    suspects_.insert(number);
  } else {
    finish(number, std::move(fields));
  }
}

std::optional<double> RowQueue::patience_s() const {
  if (limits_.timeout_s <= 0 || at_work_.empty()) return std::nullopt;
  double audio_s = 0;
  for (const std::size_t number : at_work_) {
    audio_s += entries_.at(number).row.duration_s.value_or(kLongS);
  }
  return limits_.timeout_s + limits_.timeout_factor * audio_s;
}

bool RowQueue::lose_process(const std::string& cause, const char* code) {
  const bool had_work = !at_work_.empty();
  for (const std::size_t number : std::exchange(sent_, {})) {
    Entry& entry = entries_.at(number);
    if (!at_work_.contains(number)) {
      entry.state = State::waiting;
      (is_one_alone_ ? suspects_ : waiting_).insert(number);
    } else if (entry.is_alone && entry.attempts >= limits_.max_attempts) {
      finish(number,
             failure_fields(code, static_cast<int>(ExitCode::internal), "its process " + cause));
    } else {
      entry.state = State::waiting;
      suspects_.insert(number);
    }
  }
  at_work_.clear();
  is_one_alone_ = false;
  return had_work;
}

std::vector<RowResult> RowQueue::take_results() {
  std::vector<RowResult> results;
  if (limits_.order == RowOrder::done) {
    for (const std::size_t number : std::exchange(done_, {})) {
      results.push_back(take(entries_.find(number)));
    }
    return results;
  }
  while (!entries_.empty() && entries_.begin()->second.state == State::done) {
    results.push_back(take(entries_.begin()));
  }
  return results;
}

std::vector<RowResult> RowQueue::take_all_results() {
  std::vector<RowResult> results = take_results();
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const auto next = std::next(entry);
    if (entry->second.state == State::done) results.push_back(take(entry));
    entry = next;
  }
  return results;
}

void RowQueue::finish(std::size_t number, nlohmann::ordered_json fields) {
  Entry& entry = entries_.at(number);
  entry.state = State::done;
  entry.fields = std::move(fields);
  entry.fields["attempts"] = entry.attempts;
  if (limits_.order == RowOrder::done) done_.push_back(number);
}

RowResult RowQueue::take(std::map<std::size_t, Entry>::iterator entry) {
  RowResult result{std::move(entry->second.row), std::move(entry->second.fields)};
  entries_.erase(entry);
  return result;
}

}  // namespace wnpu::app
