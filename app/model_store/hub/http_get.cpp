#include "app/model_store/hub/http_get.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <vector>

#include "app/model_store/hub/curl_library.h"
#include "models/base/error.h"

namespace wnpu::app {
namespace {

constexpr long kMostRedirections = 10;
constexpr long kSlowBytes = 1024;  // a second
// Limit of header bytes in all answers to a request, those of redirections and proxies too.
constexpr std::size_t kMostHeaderBytes = std::size_t{256} << 10U;
// libcurl's code for a line beyond its own bound since 8.6; CURLE_OUT_OF_MEMORY before.
constexpr auto kCurlTooLarge = static_cast<CURLcode>(100);

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpaces);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

// RFC 9110, 14.4: "bytes 5-9/10".
void read_content_range(std::string_view value, HttpAnswer& answer) {
  constexpr std::string_view kUnit = "bytes ";
  if (!value.starts_with(kUnit)) return;
  value.remove_prefix(kUnit.size());
  const std::size_t dash = value.find('-');
  const std::size_t slash = value.find('/');
  if (dash == value.npos || slash == value.npos || dash > slash) return;
  answer.first = number_of(value.substr(0, dash));
  answer.total = number_of(value.substr(slash + 1));
}

// A transfer, as libcurl's callbacks see it. They are C: an exception waits until they are over.
class Transfer {
 public:
  explicit Transfer(const HttpRequest& request)
      : request_(&request), curl_(&curl_library()), handle_(curl_->init(), curl_->cleanup) {
    if (!handle_) throw std::bad_alloc();
  }

  HttpOutcome run() {
    set_place();
    set_limits();
    set_certificates();
    const CURLcode code = curl_->perform(handle_.get());
    if (fault_) std::rethrow_exception(fault_);
    return outcome_of(code);
  }

 private:
  template <typename Value>
  void set(CURLoption option, Value value) {
    const CURLcode code = curl_->setopt(handle_.get(), option, value);
    if (code == CURLE_OUT_OF_MEMORY) throw std::bad_alloc();
    if (code != CURLE_OK) {
      throw models::LibraryError(
          std::string("libcurl.so.4: expected it to take an option, found ") +
          curl_->strerror(code));
    }
  }

  void set_place() {
    set(CURLOPT_URL, request_->url.c_str());
    if (request_->offset > 0) {
      set(CURLOPT_RANGE, (std::to_string(request_->offset) + "-").c_str());
      if (!request_->etag.empty()) add_header("If-Range: " + request_->etag);
    }
    set(CURLOPT_HTTPHEADER, headers_.get());
    set(CURLOPT_HEADERFUNCTION, &on_header);
    set(CURLOPT_HEADERDATA, this);
    set(CURLOPT_WRITEFUNCTION, &on_bytes);
    set(CURLOPT_WRITEDATA, this);
    if (!request_->should_stop) return;
    set(CURLOPT_NOPROGRESS, 0L);
    set(CURLOPT_XFERINFOFUNCTION, &on_progress);
    set(CURLOPT_XFERINFODATA, this);
  }

  void set_limits() {
    const HttpTimes times = http_times();
    set(CURLOPT_FOLLOWLOCATION, 1L);
    set(CURLOPT_MAXREDIRS, kMostRedirections);
    const bool is_secure = request_->url.starts_with("https:");
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_REDIR_PROTOCOLS_STR, is_secure ? "https" : "http,https");
    set(CURLOPT_CONNECTTIMEOUT, times.connect_s);
    set(CURLOPT_LOW_SPEED_LIMIT, kSlowBytes);
    set(CURLOPT_LOW_SPEED_TIME, times.slow_s);
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_USERAGENT, "whisper-npu");
  }

  // As the program curl takes them; the proxies' are libcurl's own.
  void set_certificates() {
    const char* file = std::getenv("CURL_CA_BUNDLE");
    if (file == nullptr) file = std::getenv("SSL_CERT_FILE");
    if (file != nullptr && *file != '\0') set(CURLOPT_CAINFO, file);
    const char* const folder = std::getenv("SSL_CERT_DIR");
    if (folder != nullptr && *folder != '\0') set(CURLOPT_CAPATH, folder);
  }

  void add_header(const std::string& line) {
    curl_slist* const longer = curl_->slist_append(headers_.get(), line.c_str());
    if (longer == nullptr) throw std::bad_alloc();
    (void)headers_.release();
    headers_.reset(longer);
  }

  HttpOutcome outcome_of(CURLcode code) const {
    HttpOutcome outcome{HttpEnd::failed, answer_.status, curl_->strerror(code)};
    if (is_unwanted_) return {HttpEnd::unwanted, answer_.status, ""};
    if (is_header_too_long(code)) {
      return {HttpEnd::refused, answer_.status, "the server sends a header that is too long"};
    }
    const bool is_no = answer_.status >= 400;
    if (is_no) {
      outcome.text = "the server says " + std::to_string(answer_.status);
      const bool is_busy = answer_.status == 408 || answer_.status == 429;
      if (answer_.status < 500 && !is_busy) outcome.end = HttpEnd::refused;
      return outcome;
    }
    constexpr std::array kFinal = {CURLE_TOO_MANY_REDIRECTS, CURLE_UNSUPPORTED_PROTOCOL,
                                   CURLE_URL_MALFORMAT, CURLE_PEER_FAILED_VERIFICATION,
                                   CURLE_SSL_CACERT_BADFILE};
    if (std::ranges::find(kFinal, code) != kFinal.end()) outcome.end = HttpEnd::refused;
    if (code == CURLE_OK) outcome.end = HttpEnd::whole;
    if (code == CURLE_UNSUPPORTED_PROTOCOL) outcome.text = unfollowed_text();
    return outcome;
  }

  bool is_header_too_long(CURLcode code) const {
    if (header_bytes_ > kMostHeaderBytes || code == kCurlTooLarge) return true;
    if (code != CURLE_OUT_OF_MEMORY || is_answered_) return false;
    // Throws std::bad_alloc where memory is what lacks.
    return std::vector<char>(kMostHeaderBytes).size() == kMostHeaderBytes;
  }

  std::string unfollowed_text() const {
    const bool is_secure = request_->url.starts_with("https:");
    return std::string("the server redirects to a URL of another kind than ") +
           (is_secure ? "https" : "http or https");
  }

  // libcurl has bounds of its own, which it tells as a lack of memory.
  bool take_header(std::string_view line) {
    header_bytes_ += line.size();
    if (header_bytes_ <= kMostHeaderBytes) read_header(line);
    return header_bytes_ <= kMostHeaderBytes;
  }

  void read_header(std::string_view line) {
    if (line.starts_with("HTTP/")) {
      answer_ = {};
      const std::size_t space = line.find(' ');
      if (space != line.npos) {
        answer_.status = static_cast<long>(number_of(line.substr(space + 1, 3)).value_or(0));
      }
      return;
    }
    const std::size_t colon = line.find(':');
    if (colon == line.npos) return;
    std::string name(line.substr(0, colon));
    std::ranges::transform(name, name.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (name == "etag" && value.starts_with('"')) answer_.etag = value;
    if (name == "content-length") answer_.length = number_of(value);
    if (name == "content-range") read_content_range(value, answer_);
    if (name == "content-type") answer_.type = trimmed(value.substr(0, value.find(';')));
  }

  bool take(std::string_view bytes) {
    // The page of an error is no part of the file.
    if (answer_.status != 200 && answer_.status != 206) return true;
    if (!is_answered_ && !request_->take_answer(answer_)) return false;
    is_answered_ = true;
    return request_->take_bytes(bytes);
  }

  static std::size_t on_header(char* data, std::size_t size, std::size_t count, void* self) {
    auto* const transfer = static_cast<Transfer*>(self);
    return transfer->guarded(
        [&] {
          return transfer->take_header({data, size * count});
        },
        size * count);
  }
  static std::size_t on_bytes(char* data, std::size_t size, std::size_t count, void* self) {
    auto* const transfer = static_cast<Transfer*>(self);
    return transfer->guarded(
        [&] {
          const bool is_wanted = transfer->take({data, size * count});
          transfer->is_unwanted_ = !is_wanted;
          return is_wanted;
        },
        size * count);
  }

  static int on_progress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    auto* const transfer = static_cast<Transfer*>(self);
    const auto work = [&] {
      // It is asked once more behind bytes that were not wanted.
      transfer->is_unwanted_ |= transfer->request_->should_stop();
      return !transfer->is_unwanted_;
    };
    return transfer->guarded(work, 1) == 1 ? 0 : 1;
  }

  // Result of a callback: all of its bytes, or another number to end the transfer.
  template <typename Work>
  std::size_t guarded(const Work& work, std::size_t n_bytes) {
    try {
      return work() ? n_bytes : n_bytes == 0 ? 1 : 0;
    } catch (...) {
      fault_ = std::current_exception();
      return n_bytes == 0 ? 1 : 0;
    }
  }

  const HttpRequest* request_;
  const CurlLibrary* curl_;
  std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> handle_;
  std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> headers_{nullptr,
                                                                       curl_->slist_free_all};
  HttpAnswer answer_;
  std::size_t header_bytes_ = 0;
  bool is_answered_ = false;
  bool is_unwanted_ = false;
  std::exception_ptr fault_;
};

}  // namespace

HttpTimes http_times() {
  HttpTimes times;
  const char* const text = std::getenv("WNPU_HUB_TIMES");
  HttpTimes given;
  if (text != nullptr &&
      std::sscanf(text, "%ld:%ld:%ld", &given.connect_s, &given.slow_s, &given.wait_ms) == 3) {
    times = given;
  }
  return times;
}

HttpOutcome http_get(const HttpRequest& request) { return Transfer(request).run(); }

}  // namespace wnpu::app
