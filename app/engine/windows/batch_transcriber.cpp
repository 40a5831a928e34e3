#include "app/engine/windows/batch_transcriber.h"

#include <exception>
#include <utility>
#include <vector>

#include "app/engine/audio_input.h"
#include "app/engine/error.h"
#include "models/base/error.h"

namespace wnpu::app {
namespace {

// Whether a recording that cannot be begun has failed for itself.
bool is_its_own(const std::exception& failure) {
  switch (error_code(failure)) {
    case ErrorCode::usage:  // its language, or its stretch
    case ErrorCode::audio:
    case ErrorCode::library:
    case ErrorCode::resources:
      return true;
    default:
      return false;
  }
}

}  // namespace

BatchTranscriber::BatchTranscriber(Recognizer& recognizer, const BatchWork& work)
    : recognizer_(recognizer),
      work_(work),
      loop_(recognizer, work.n_together, work.callbacks.should_stop) {
  of_each_.should_stop = work.callbacks.should_stop;
}

void BatchTranscriber::run() {
  recognizer_.set_should_stop(of_each_.should_stop);
  try {
    work();
  } catch (const models::Stopped&) {
    for (Open& each : open_) done(each, false);
  }
}

void BatchTranscriber::work() {
  for (admit(); !open_.empty(); admit()) {
    std::vector<TranscriptionJob*> files;
    for (Open& each : open_) files.push_back(&*each.file);
    loop_.run_round(files);
    retire();
  }
}

void BatchTranscriber::admit() {
  while (open_.size() < loop_.n_at_work()) {
    const std::optional<Recording> next = work_.callbacks.next(at_work());
    if (!next) return;
    open(*next);
    retire();  // one without speech is done already
  }
}

void BatchTranscriber::open(const Recording& recording) {
  const std::size_t number = n_given_++;
  Open& opened = open_.emplace_back();
  opened.number = number;
  try {
    begin(opened, recording);
  } catch (const models::Stopped&) {
    if (!opened.file) {
      open_.pop_back();
      fail(number, name_of(recording.audio), std::current_exception());
    }
    throw;
  } catch (const std::exception& failure) {
    open_.pop_back();
    if (!is_its_own(failure)) throw;
    fail(number, name_of(recording.audio), std::current_exception());
  }
}

void BatchTranscriber::begin(Open& opened, const Recording& recording) {
  opened.options = work_.options;
  if (!recording.language.empty()) opened.options.language = recording.language;
  work_.check(opened.options);
  opened.input = input_of(recording.audio);
  opened.file.emplace(recognizer_, opened.options, opened.input, of_each_, work_.vad);
  opened.file->begin();
}

void BatchTranscriber::retire() {
  for (auto each = open_.begin(); each != open_.end();) {
    const TranscriptionJob& file = *each->file;
    if (!file.is_done()) {
      ++each;
      continue;
    }
    if (file.failure()) {
      fail(each->number, name_of(each->input), file.failure());
    } else {
      done(*each, true);
    }
    each = open_.erase(each);
  }
}

AtWork BatchTranscriber::at_work() const {
  AtWork all{open_.size(), 0};
  for (const Open& each : open_) all.seconds += each.file->duration_s();
  return all;
}

void BatchTranscriber::done(Open& ended, bool is_whole) {
  Transcript transcript = ended.file->finish(is_whole);
  work_.describe(transcript);
  work_.callbacks.done(ended.number, std::move(transcript), nullptr);
}

void BatchTranscriber::fail(std::size_t number, const std::string& name,
                            const std::exception_ptr& failure) {
  try {
    with_errors(name, [&] { std::rethrow_exception(failure); });
  } catch (...) {
    work_.callbacks.done(number, {}, std::current_exception());
  }
}

}  // namespace wnpu::app
