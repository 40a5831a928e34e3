#include "app/model_store/hub/download.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "app/model_store/hub/http_get.h"
#include "app/model_store/hub/hub_model.h"
#include "app/model_store/hub/part_file.h"
#include "app/system/sha256.h"
#include "app/system/url.h"
#include "models/base/error.h"

namespace wnpu::app {
namespace {

constexpr int kMostTries = 5;  // that bring next to nothing, one after the other
constexpr std::uint64_t kLeastProgress = 32768;
constexpr int kMostConnections = 100;  // in all

using Why = DownloadError::Why;

class Fetch {
 public:
  Fetch(const Download& order, Part& part)
      : order_(&order), url_(shown_url(order.url)), part_(part) {}

  // Until the part has as many bytes as the file is said to have.
  void run() {
    int n_empty = 0;
    furthest_ = part_.size();
    for (int connection = 0; connection < kMostConnections; ++connection) {
      if (is_whole()) return;
      const HttpOutcome outcome = request();
      if (outcome.end == HttpEnd::whole && is_end()) return;
      if (!fault_.empty()) fail(fault_is_size_ ? Why::too_large : Why::refused, fault_);
      if (outcome.end == HttpEnd::refused) refuse(outcome);
      // Progress counts from the furthest byte so far, also after a new start.
      n_empty = part_.size() < furthest_ + kLeastProgress ? n_empty + 1 : 0;
      furthest_ = std::max(furthest_, part_.size());
      if (n_empty == kMostTries) {
        fail(Why::failed, outcome.text + " (" + std::to_string(kMostTries) + " tries)");
      }
      wait(n_empty, outcome.text);
    }
    fail(Why::failed, "cut " + std::to_string(kMostConnections) + " times");
  }

  bool was_resumed() const { return was_resumed_; }

 private:
  bool is_known() const { return !order_->sha256.empty(); }

  // Whether the part can be resumed: it is of this very file by its ETag, or its SHA-256 is checked
  // at the end.
  bool can_resume() const {
    if (part_.size() == 0) return false;
    const PartOrigin& origin = part_.origin();
    return is_known() || (origin.url == url_ && !origin.etag.empty());
  }

  std::uint64_t total() const { return order_->bytes != 0 ? order_->bytes : part_.origin().total; }
  bool is_whole() const { return can_resume() && total() != 0 && part_.size() == total(); }
  bool is_end() const { return fault_.empty() && (total() == 0 || part_.size() == total()); }

  HttpOutcome request() {
    HttpRequest request;
    request.url = order_->url;
    if (can_resume() && (total() == 0 || part_.size() < total())) {
      request.offset = part_.size();
      if (part_.origin().url == url_) request.etag = part_.origin().etag;
    }
    is_answered_ = false;
    request.take_answer = [&](const HttpAnswer& answer) { return take_answer(request, answer); };
    request.take_bytes = [&](std::string_view bytes) { return take_bytes(bytes); };
    request.should_stop = order_->should_stop;
    HttpOutcome outcome = http_get(request);
    stop_if_asked();
    // The part is longer than the file is now.
    if (outcome.status == 416) {
      part_.restart({url_, "", 0});
      return {HttpEnd::failed, outcome.status, "the file has changed"};
    }
    if (outcome.end == HttpEnd::whole && !is_answered_) part_.restart({url_, "", 0});
    if (outcome.end == HttpEnd::whole && !is_end()) outcome = {HttpEnd::failed, 0, cut_text()};
    if (outcome.end == HttpEnd::unwanted) outcome.text = "the file has changed";
    return outcome;
  }

  std::string cut_text() const {
    return "cut at " + std::to_string(part_.size()) + " of " + std::to_string(total()) + " bytes";
  }

  bool take_answer(const HttpRequest& request, const HttpAnswer& answer) {
    is_answered_ = true;
    const bool is_rest = answer.status == 206;
    const std::uint64_t size = is_rest ? answer.total.value_or(0) : answer.length.value_or(0);
    if (order_->bytes != 0 && size != 0 && size != order_->bytes) {
      fault_ =
          "expected " + std::to_string(order_->bytes) + " bytes, found " + std::to_string(size);
      return false;
    }
    if (size > order_->most_bytes) {
      refuse_size(std::to_string(size));
      return false;
    }
    if (order_->tell_type) order_->tell_type(answer.type);
    if (!is_rest) {  // all of it, whether a part was asked for or not
      part_.restart({url_, answer.etag, size});
      return true;
    }
    if (request.offset == 0) {
      fault_ = "expected the whole file, found a part of it (206), which nobody asked for";
      return false;
    }
    const PartOrigin& origin = part_.origin();
    const bool is_other = !request.etag.empty() && answer.etag != request.etag;
    const bool is_other_size = origin.total != 0 && size != 0 && size != origin.total;
    if (answer.first != request.offset || is_other || is_other_size) {
      part_.restart({url_, "", 0});
      return false;
    }
    was_resumed_ = true;
    return true;
  }

  bool take_bytes(std::string_view bytes) {
    const std::uint64_t most = total() != 0 ? total() : order_->most_bytes;
    if (part_.size() + bytes.size() > most) {
      if (total() == 0) refuse_size("more");
      if (total() != 0) fault_ = "expected " + std::to_string(most) + " bytes, found more";
      part_.restart({url_, "", 0});
      return false;
    }
    part_.append(bytes);
    order_->tell(part_.size(), total());
    return true;
  }

  void refuse_size(const std::string& found) {
    fault_is_size_ = true;
    fault_ = "expected at most " + std::to_string(order_->most_bytes) + " bytes, found " + found;
  }

  void stop_if_asked() const {
    if (order_->should_stop && order_->should_stop()) throw models::Stopped();
  }

  [[noreturn]] void fail(Why why, const std::string& what) const {
    throw DownloadError(why, url_, what);
  }

  [[noreturn]] void refuse(const HttpOutcome& outcome) const {
    const bool is_absent = outcome.status == 401 || outcome.status == 403 ||
                           outcome.status == 404 || outcome.status == 410;
    fail(is_absent ? Why::absent : Why::refused, outcome.text);
  }

  void wait(int n_empty, const std::string& why) const {
    const long wait_ms = http_times().wait_ms << std::max(n_empty - 1, 0);
    order_->note(order_->name + ": " + why + "; tried again");
    constexpr std::chrono::milliseconds kAskEvery{100};
    for (std::chrono::milliseconds left{wait_ms}; left.count() > 0; left -= kAskEvery) {
      stop_if_asked();
      std::this_thread::sleep_for(std::min(left, kAskEvery));
    }
  }

  const Download* order_;
  std::string url_;  // that the part is known by
  Part& part_;
  std::uint64_t furthest_ = 0;  // that the part has come, however often it was begun
  std::string fault_;           // what the server says is not what it has to
  bool fault_is_size_ = false;
  bool is_answered_ = false;
  bool was_resumed_ = false;
};

}  // namespace

std::string download(const Download& order) {
  for (int round = 0;; ++round) {
    PartFile part(order.folder, order.name);
    Fetch work(order, part);
    const bool had_part = part.size() > 0;
    work.run();
    std::string sha256 = sha256_of_file(part.path());
    const std::uint64_t size = part.size();
    const bool is_right = order.sha256.empty() || sha256 == order.sha256;
    if (is_right && size != 0) {
      part.finish();
      return sha256;
    }
    part.remove();
    // The beginning may be of another file: that is no fault of the server's.
    if (round == 0 && (had_part || work.was_resumed())) {
      order.note(order.name + ": the part that was there is wrong; pulled anew");
      continue;
    }
    throw models::ModelError(shown_url(order.url) + ": expected SHA-256 " + order.sha256 +
                             ", found " + (size == 0 ? "an empty file" : sha256));
  }
}

void fetch(const Download& order, Part& part) { Fetch(order, part).run(); }

}  // namespace wnpu::app
