// A connection that left HTTP for WebSocket (RFC 6455), by Boost.Beast: texts from the client to a
// conversation and back, pings, and the end. All on the server's one thread.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/serve/http/exchange.h"

namespace wnpu::serve {

class WebSocket final : public TextClient, public std::enable_shared_from_this<WebSocket> {
 public:
  using Socket = boost::asio::ip::tcp::socket;
  using Request = boost::beast::http::request_header<>;

  // `ended`: the client has left, or was left.
  explicit WebSocket(std::function<void()> ended) : ended_(std::move(ended)) {}

  // Answers the request, and hears the client; takes the socket.
  void start(Socket&& socket, const Request& request, std::shared_ptr<Conversation> conversation);

  void send(std::string text) override;
  void read_on() override;
  void close(unsigned code, const std::string& reason) override;

 private:
  using Error = boost::system::error_code;

  void read();
  void take();
  void write();
  void leave();

  std::optional<boost::beast::websocket::stream<Socket>> stream_;  // none: not started
  std::function<void()> ended_;
  std::shared_ptr<Conversation> conversation_;
  boost::beast::flat_buffer buffer_;
  std::deque<std::string> to_send_;  // the first is being sent
  std::size_t n_to_send_ = 0;        // bytes
  bool is_open_ = false;
  bool is_reading_ = false;
  bool is_closing_ = false;
  bool has_left_ = false;
  boost::beast::websocket::close_reason reason_;
};

}  // namespace wnpu::serve
