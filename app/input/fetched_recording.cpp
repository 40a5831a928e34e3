#include "app/input/fetched_recording.h"

#include <cerrno>
#include <csignal>
#include <span>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "app/model_store/hub/download.h"
#include "app/options/exit_code.h"
#include "app/system/progress.h"
#include "app/system/sha256.h"
#include "app/system/url.h"
#include "audio/read/error.h"
#include "audio/read/spool_file.h"
#include "models/base/error.h"

namespace wnpu::app {
namespace {

class SpoolPart final : public Part {
 public:
  SpoolPart(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {}

  std::uint64_t size() const override { return size_; }
  const PartOrigin& origin() const override { return origin_; }

  void restart(const PartOrigin& origin) override {
    if (::ftruncate(descriptor_, 0) != 0 || ::lseek(descriptor_, 0, SEEK_SET) != 0) fail();
    size_ = 0;
    origin_ = origin;
  }

  void append(std::string_view bytes) override {
    audio::append_to_spool(descriptor_, std::as_bytes(std::span(bytes)), name_);
    size_ += bytes.size();
  }

 private:
  [[noreturn]] void fail() const {
    throw audio::AudioError(name_ + ": expected room for a temporary copy, found: " +
                            std::generic_category().message(errno));
  }

  int descriptor_;
  std::string name_;
  std::uint64_t size_ = 0;
  PartOrigin origin_;
};

[[noreturn]] void rethrow(const DownloadError& error, const FetchRequest& order,
                          std::uint64_t room) {
  const std::string text = order.name + ": cannot be fetched: " + error.cause;
  switch (error.why) {
    case DownloadError::Why::failed:
      throw NetworkError(text);
    case DownloadError::Why::too_large:
      throw audio::AudioError(text + (room < order.most_bytes
                                          ? "; its temporary copy may take half of what is free in "
                                            "TMPDIR (else /var/tmp)"
                                          : "; --max-download says how many"));
    default:
      throw audio::AudioError(text);
  }
}

}  // namespace

FetchRequest fetch_request(const Options& options, const std::string& url, const std::string& name,
                           const std::function<bool()>& should_stop) {
  return {url, name, options.max_download.value_or(kMostFetched), options.verbosity, should_stop};
}

FetchedRecording::FetchedRecording(const FetchRequest& order, std::ostream& err)
    : descriptor_(audio::open_spool(order.name)) {
  fetch_into_spool(order, err);
  sha256_ = sha256_of_file(path(), order.should_stop);
  if (order.should_stop && order.should_stop()) throw models::Stopped();
}

std::string FetchedRecording::path() const {
  return "/proc/self/fd/" + std::to_string(descriptor_.get());
}

void FetchedRecording::fetch_into_spool(const FetchRequest& order, std::ostream& err) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is a disk that is full
  const std::uint64_t room = audio::room_for_spool(descriptor_.get(), order.most_bytes);
  Messages progress = pull_messages(err, order.verbosity);
  progress.begin_bytes(name_in_url(order.url));
  Download wanted;
  wanted.url = order.url;
  wanted.name = order.name;
  wanted.most_bytes = room;
  wanted.tell = [&](std::uint64_t done, std::uint64_t total) {
    progress.update_progress(static_cast<double>(done), static_cast<double>(total));
  };
  wanted.note = [&](const std::string& text) { progress.note(text); };
  wanted.tell_type = [&](std::string_view type) { type_ = type; };
  wanted.should_stop = order.should_stop;
  SpoolPart part(descriptor_.get(), order.name);
  try {
    fetch(wanted, part);
  } catch (const DownloadError& error) {
    rethrow(error, order, room);
  }
}

}  // namespace wnpu::app
