#include "app/serve/http/web_socket.h"

#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/rfc7230.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <chrono>
#include <utility>

namespace wnpu::serve {
namespace {

namespace beast = boost::beast;
namespace websocket = beast::websocket;

constexpr std::size_t kMostMessage = std::size_t{4} << 20U;
// A client that does not take what is sent to it.
constexpr std::size_t kMostToSend = std::size_t{4} << 20U;

// The one of OpenAI's, which browsers ask for: they send a key as another.
constexpr const char* kProtocol = "realtime";

}  // namespace

void WebSocket::start(Socket&& socket, const Request& request,
                      std::shared_ptr<Conversation> conversation) {
  conversation_ = std::move(conversation);
  stream_.emplace(std::move(socket));
  websocket::stream_base::timeout timeout;
  timeout.handshake_timeout = std::chrono::seconds(10);
  timeout.idle_timeout = std::chrono::seconds(120);
  timeout.keep_alive_pings = true;
  stream_->set_option(timeout);
  stream_->read_message_max(kMostMessage);
  stream_->text(true);
  beast::http::token_list offered(request[beast::http::field::sec_websocket_protocol]);
  const bool has_protocol = offered.exists(kProtocol);
  stream_->set_option(websocket::stream_base::decorator([has_protocol](auto& response) {
    response.set(beast::http::field::server, "whisper-npu");
    if (has_protocol) response.set(beast::http::field::sec_websocket_protocol, kProtocol);
  }));
  beast::http::request<beast::http::empty_body> whole{request};
  stream_->async_accept(whole, [self = shared_from_this()](const Error& error) {
    if (error) return self->leave();
    self->is_open_ = true;
    self->read();
    self->write();
  });
}

void WebSocket::send(std::string text) {
  if (has_left_ || is_closing_) return;
  n_to_send_ += text.size();
  if (n_to_send_ > kMostToSend) {
    Error ignored;
    stream_->next_layer().close(ignored);
    return leave();
  }
  to_send_.push_back(std::move(text));
  if (to_send_.size() == 1) write();
}

// One message at a time; behind the last the close, if there is to be one.
void WebSocket::write() {
  if (!is_open_ || has_left_) return;
  if (to_send_.empty()) {
    if (!is_closing_) return;
    stream_->async_close(reason_, [self = shared_from_this()](const Error&) { self->leave(); });
    return;
  }
  stream_->async_write(boost::asio::buffer(to_send_.front()),
                       [self = shared_from_this()](const Error& error, std::size_t) {
                         if (error) return self->leave();
                         self->n_to_send_ -= self->to_send_.front().size();
                         self->to_send_.pop_front();
                         self->write();
                       });
}

void WebSocket::read_on() {
  if (is_open_ && !is_reading_ && !has_left_) read();
}

void WebSocket::read() {
  is_reading_ = true;
  stream_->async_read(buffer_, [self = shared_from_this()](const Error& error, std::size_t) {
    self->is_reading_ = false;
    if (error || self->has_left_) return self->leave();
    self->take();
  });
}

void WebSocket::take() {
  if (!stream_->got_text()) return close(1003, "expected text, found binary");
  const std::string text = beast::buffers_to_string(buffer_.data());
  buffer_ = {};  // a large message's memory is not kept
  if (is_closing_ || conversation_->take(text)) read();
}

void WebSocket::close(unsigned code, const std::string& reason) {
  if (has_left_ || is_closing_) return;
  is_closing_ = true;
  reason_ = {static_cast<websocket::close_code>(code), reason.substr(0, 120)};
  if (to_send_.empty()) write();
}

void WebSocket::leave() {
  if (std::exchange(has_left_, true)) return;
  Error ignored;
  stream_->next_layer().close(ignored);
  std::exchange(conversation_, nullptr)->client_left();
  ended_();
}

}  // namespace wnpu::serve
