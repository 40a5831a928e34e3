// A connection of HTTP/1.1 by Boost.Beast: requests one after another, their bodies piece by piece
// to the desk, answers back. All on the server's one thread.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/serve/http/exchange.h"
#include "app/serve/http/limits.h"

namespace wnpu::serve {

class HttpConnection;

// All that connections share; it outlives them.
struct HttpShared {
  using Socket = boost::asio::ip::tcp::socket;

  Desk& desk;
  const Limits& limits;
  std::set<HttpConnection*> all = {};
  bool is_draining = false;
};

class HttpConnection final : public std::enable_shared_from_this<HttpConnection> {
 public:
  using Socket = HttpShared::Socket;

  HttpConnection(Socket socket, HttpShared& shared);
  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  void start();
  // Ends as soon as nothing is at work.
  void drain();

 private:
  class Exchange;
  using Error = boost::system::error_code;
  using Clock = std::chrono::steady_clock;
  using Parser = boost::beast::http::request_parser<boost::beast::http::buffer_body>;
  enum class State { idle, head, body, working, answered, closing };

  void wait_for_request();
  void read_head();
  void take_head(const Error& error);
  void refuse_head(const Error& error);
  bool is_upgraded();
  void begin_call();
  void read_body();
  void take_body(Error error);
  void finish_body();
  void fail(const std::exception_ptr& failure);

  void whole(const Answer& answer);
  void begin_events(const Answer& head);
  void add_event(const std::string& text);
  void end_events();
  bool is_http_1_0() const;
  std::string head_of(Answer answer, std::optional<std::size_t> length) const;
  void flush();
  void end_request();

  void watch();
  void leave();
  void set_deadline(double seconds);
  void clear_deadline();
  void linger();
  void discard();
  void close();

  Socket socket_;
  HttpShared& shared_;
  boost::asio::steady_timer deadline_;
  boost::asio::steady_timer watch_;
  std::uint64_t n_deadlines_ = 0;
  bool is_late_ = false;  // the deadline has passed
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  std::vector<char> piece_;          // of a body
  std::uint64_t n_received_ = 0;     // bytes of the body
  std::uint64_t n_at_deadline_ = 0;  // of them, when the deadline was set
  State state_ = State::idle;
  RequestHead head_;
  std::shared_ptr<Call> call_;
  std::shared_ptr<Exchange> exchange_;
  Clock::time_point begun_;
  unsigned status_ = 0;
  bool keeps_alive_ = false;
  bool has_events_ = false;
  std::string to_send_;
  std::string being_sent_;
  std::size_t n_discarded_ = 0;
};

}  // namespace wnpu::serve
