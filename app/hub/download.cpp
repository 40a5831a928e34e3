#include "app/hub/download.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "app/batch/sha256.h"
#include "app/hub/http_get.h"
#include "app/hub/hub_model.h"
#include "app/hub/part_file.h"

namespace wnpu::app {
namespace {

constexpr int kMostTries = 5;  // that bring next to nothing, one after the other
constexpr std::uint64_t kLeastProgress = 32768;
constexpr int kMostConnections = 100;  // in all
// A file of unknown length has an end: the largest model has 6.2 GB.
constexpr std::uint64_t kMostBytes = std::uint64_t{16} << 30U;

class Fetch {
 public:
  explicit Fetch(const Download& order) : order_(&order), part_(order.folder, order.name) {}

  // Until the part has as many bytes as the file is said to have.
  void run() {
    int n_empty = 0;
    furthest_ = part_.size();
    for (int connection = 0; connection < kMostConnections; ++connection) {
      if (is_whole()) return;
      const HttpOutcome outcome = request();
      if (outcome.end == HttpEnd::whole && is_end()) return;
      if (!fault_.empty()) fail(fault_);
      if (outcome.end == HttpEnd::refused) refuse(outcome);
      // What was begun anew has to come further than before.
      n_empty = part_.size() < furthest_ + kLeastProgress ? n_empty + 1 : 0;
      furthest_ = std::max(furthest_, part_.size());
      if (n_empty == kMostTries) fail(outcome.text + " (" + std::to_string(kMostTries) + " tries)");
      wait(n_empty, outcome.text);
    }
    fail("cut " + std::to_string(kMostConnections) + " times");
  }

  PartFile& part() { return part_; }
  bool was_resumed() const { return was_resumed_; }

 private:
  bool is_known() const { return !order_->sha256.empty(); }

  // What is there can be gone on with: of this very file by its ETag, or by what is proved at the
  // end.
  bool can_resume() const {
    if (part_.size() == 0) return false;
    const PartOrigin& origin = part_.origin();
    return is_known() || (origin.url == order_->url && !origin.etag.empty());
  }

  std::uint64_t total() const { return order_->bytes != 0 ? order_->bytes : part_.origin().total; }
  bool is_whole() const { return can_resume() && total() != 0 && part_.size() == total(); }
  bool is_end() const { return fault_.empty() && (total() == 0 || part_.size() == total()); }

  HttpOutcome request() {
    HttpRequest request;
    request.url = order_->url;
    if (can_resume() && (total() == 0 || part_.size() < total())) {
      request.offset = part_.size();
      if (part_.origin().url == order_->url) request.etag = part_.origin().etag;
    }
    is_answered_ = false;
    request.take_answer = [&](const HttpAnswer& answer) { return take_answer(request, answer); };
    request.take_bytes = [&](std::string_view bytes) { return take_bytes(bytes); };
    HttpOutcome outcome = http_get(request);
    // The part is longer than the file is now.
    if (outcome.status == 416) {
      part_.restart({order_->url, "", 0});
      return {HttpEnd::failed, outcome.status, "the file has changed"};
    }
    if (outcome.end == HttpEnd::whole && !is_answered_) part_.restart({order_->url, "", 0});
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
    if (!is_rest) {  // all of it, whether a part was asked for or not
      part_.restart({order_->url, answer.etag, size});
      return true;
    }
    const PartOrigin& origin = part_.origin();
    const bool is_other = !request.etag.empty() && answer.etag != request.etag;
    const bool is_other_size = origin.total != 0 && size != 0 && size != origin.total;
    if (request.offset == 0 || answer.first != request.offset || is_other || is_other_size) {
      part_.restart({order_->url, "", 0});
      return false;
    }
    was_resumed_ = true;
    return true;
  }

  bool take_bytes(std::string_view bytes) {
    const std::uint64_t most = total() != 0 ? total() : kMostBytes;
    if (part_.size() + bytes.size() > most) {
      fault_ = "expected " + std::to_string(most) + " bytes, found more";
      part_.restart({order_->url, "", 0});
      return false;
    }
    part_.append(bytes);
    order_->tell(part_.size(), total());
    return true;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw models::ModelError(order_->url + ": " + what);
  }

  [[noreturn]] void refuse(const HttpOutcome& outcome) const {
    const bool is_absent = outcome.status == 401 || outcome.status == 403 ||
                           outcome.status == 404 || outcome.status == 410;
    if (is_absent) throw NotPublished(order_->url + ": " + outcome.text);
    fail(outcome.text);
  }

  void wait(int n_empty, const std::string& why) const {
    const long wait_ms = http_times().wait_ms << std::max(n_empty - 1, 0);
    order_->note(order_->name + ": " + why + "; tried again");
    std::this_thread::sleep_for(std::chrono::milliseconds(wait_ms));
  }

  const Download* order_;
  PartFile part_;
  std::uint64_t furthest_ = 0;  // that the part has come, however often it was begun
  std::string fault_;           // what the server says is not what it has to
  bool is_answered_ = false;
  bool was_resumed_ = false;
};

}  // namespace

std::string download(const Download& order) {
  for (int round = 0;; ++round) {
    Fetch fetch(order);
    const bool had_part = fetch.part().size() > 0;
    fetch.run();
    const std::string sha256 = sha256_of_file(fetch.part().path());
    const std::uint64_t size = fetch.part().size();
    const bool is_right = order.sha256.empty() || sha256 == order.sha256;
    if (is_right && size != 0) {
      fetch.part().finish();
      return sha256;
    }
    fetch.part().remove();
    // The beginning may be of another file: that is no fault of the server's.
    if (round == 0 && (had_part || fetch.was_resumed())) {
      order.note(order.name + ": the part that was there is wrong; pulled anew");
      continue;
    }
    throw models::ModelError(order.url + ": expected SHA-256 " + order.sha256 + ", found " +
                             (size == 0 ? "an empty file" : sha256));
  }
}

}  // namespace wnpu::app
