// One request for a file, or for what is left of it: nothing is tried twice here, and nothing that
// the server says is believed before it was looked at.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace wnpu::app {

// Status and headers before a body. Redirections are followed before.
struct HttpAnswer {
  long status = 0;
  std::string etag;                     // empty: none, or one that is weak ("W/...")
  std::string type;                     // Content-Type: "audio/mpeg"; empty: none
  std::optional<std::uint64_t> length;  // Content-Length: of the body
  std::optional<std::uint64_t> first;   // Content-Range: the body's place in the file
  std::optional<std::uint64_t> total;   // Content-Range: the file's bytes
};

struct HttpTimes {
  long connect_s = 20;
  // Slower than 1 KB/s for so long is a connection that is cut.
  long slow_s = 30;
  // Before the second try; then twice as long each time.
  long wait_ms = 1000;
};
// These, or what WNPU_HUB_TIMES says: "connect_s:slow_s:wait_ms", for tests.
HttpTimes http_times();

struct HttpRequest {
  std::string url;
  std::uint64_t offset = 0;  // where the body is to begin
  std::string etag;          // with an offset: of the file that is to be gone on with; may be empty
  // Once, before the body; false: it is not wanted.
  std::function<bool(const HttpAnswer&)> take_answer;
  // Piece by piece; false: no more of it.
  std::function<bool(std::string_view)> take_bytes;
  // Asked while the server is waited for as well; true ends the transfer as `unwanted`.
  std::function<bool()> should_stop = {};
};

enum class HttpEnd {
  whole,     // the body is all there
  unwanted,  // take_answer, take_bytes or should_stop said so
  refused,   // the server says no, and will again (4xx; too many redirections, or to what is no
             // HTTP, or from HTTPS to less)
  failed,    // a try later may do better: no connection, cut, slow, 5xx
};
struct HttpOutcome {
  HttpEnd end = HttpEnd::failed;
  long status = 0;   // of the last answer; 0: there was none
  std::string text;  // what went wrong, without the URL
};

// Proxies and certificates are as curl's environment variables say. Throws LibraryError, and what
// the two functions throw.
HttpOutcome http_get(const HttpRequest& request);

}  // namespace wnpu::app
