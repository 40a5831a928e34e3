#include "app/serve/http/connection.h"

#include <array>
#include <boost/asio/write.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <poll.h>

#include "app/serve/http/answer_text.h"
#include "app/serve/http/api_error.h"
#include "app/serve/http/web_socket.h"

namespace wnpu::serve {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

constexpr std::uint32_t kMostHead = 16384;
constexpr std::size_t kPiece = std::size_t{64} << 10U;             // of a body
constexpr std::uint64_t kDeadlineBytes = std::uint64_t{1} << 20U;  // of a body, in body_s
constexpr std::chrono::milliseconds kWatch{500};
// A client that still sends is heard for a while, or the kernel takes our answer back (RST).
constexpr double kLingerSeconds = 5;
constexpr std::size_t kMostDiscarded = std::size_t{64} << 20U;
constexpr unsigned kClientLeft = 499;  // as nginx has it
std::string text_of(boost::beast::string_view text) { return {text.data(), text.size()}; }

RequestHead head_of_request(const http::request_parser<http::buffer_body>& parser) {
  const auto& request = parser.get();
  RequestHead head;
  head.id = new_request_id();
  head.method = text_of(request.method_string());
  const std::string target = text_of(request.target());
  const std::size_t end = target.find_first_of("?#");
  head.path = target.substr(0, end);
  if (end != std::string::npos) head.query = target.substr(end + 1);
  head.content_type = text_of(request[http::field::content_type]);
  head.authorization = text_of(request[http::field::authorization]);
  head.protocols = text_of(request[http::field::sec_websocket_protocol]);
  head.origin = text_of(request[http::field::origin]);
  head.host = text_of(request[http::field::host]);
  head.openai_beta = text_of(request["OpenAI-Beta"]);
  head.is_chunked = request.chunked();
  if (const auto length = parser.content_length()) head.content_length = *length;
  return head;
}

}  // namespace

// The client of one request: what is called after the request has ended does nothing.
class HttpConnection::Exchange final : public Client {
 public:
  explicit Exchange(std::weak_ptr<HttpConnection> connection)
      : connection_(std::move(connection)) {}

  void whole(Answer answer) override {
    if (const auto connection = current()) connection->whole(answer);
  }
  void begin(Answer head) override {
    if (const auto connection = current()) connection->begin_events(head);
  }
  void event(std::string text) override {
    if (const auto connection = current()) connection->add_event(text);
  }
  void end() override {
    if (const auto connection = current()) connection->end_events();
  }

 private:
  std::shared_ptr<HttpConnection> current() const {
    auto connection = connection_.lock();
    if (connection && connection->exchange_.get() != this) return nullptr;
    return connection;
  }

  std::weak_ptr<HttpConnection> connection_;
};

HttpConnection::HttpConnection(Socket socket, HttpShared& shared)
    : socket_(std::move(socket)),
      shared_(shared),
      deadline_(socket_.get_executor()),
      watch_(socket_.get_executor()),
      buffer_(kMostHead + kPiece) {
  shared_.all.insert(this);
}

HttpConnection::~HttpConnection() { shared_.all.erase(this); }

void HttpConnection::start() {
  Error ignored;
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  socket_.set_option(asio::socket_base::keep_alive(true), ignored);
  wait_for_request();
}

void HttpConnection::drain() {
  if (state_ == State::idle) close();
}

void HttpConnection::wait_for_request() {
  state_ = State::idle;
  if (shared_.is_draining) return close();
  if (buffer_.size() > 0) return read_head();
  set_deadline(shared_.limits.idle_s);
  socket_.async_wait(Socket::wait_read, [self = shared_from_this()](const Error& error) {
    if (error || self->state_ != State::idle) return self->close();
    self->read_head();
  });
}

void HttpConnection::read_head() {
  state_ = State::head;
  parser_.emplace();
  parser_->header_limit(kMostHead);
  parser_->body_limit(boost::none);  // it is counted here, to be told from other errors
  set_deadline(shared_.limits.header_s);
  http::async_read_header(
      socket_, buffer_, *parser_,
      [self = shared_from_this()](const Error& error, std::size_t) { self->take_head(error); });
}

void HttpConnection::take_head(const Error& error) {
  begun_ = Clock::now();
  has_events_ = false;
  status_ = 0;
  n_received_ = n_at_deadline_ = 0;
  exchange_ = std::make_shared<Exchange>(weak_from_this());
  if (error) return refuse_head(error);
  head_ = head_of_request(*parser_);
  keeps_alive_ = parser_->keep_alive();
  if (is_upgraded()) return;
  begin_call();
}

void HttpConnection::refuse_head(const Error& error) {
  head_ = {};
  head_.id = new_request_id();
  head_.method = head_.path = "-";
  keeps_alive_ = false;
  const bool is_of_http =
      error.category() == http::make_error_code(http::error::bad_value).category();
  const bool is_gone = error == http::error::end_of_stream || (!is_late_ && !is_of_http);
  if (is_gone) return close();
  if (is_late_) {
    const ApiError late(408, "the head of the request took too long", "", "timeout");
    return fail(std::make_exception_ptr(late));
  }
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    const ApiError large(
        431, "expected at most " + std::to_string(kMostHead) + " bytes of header, found more");
    return fail(std::make_exception_ptr(large));
  }
  fail(
      std::make_exception_ptr(ApiError(400, "expected a request of HTTP/1.1: " + error.message())));
}

bool HttpConnection::is_upgraded() {
  if (!boost::beast::websocket::is_upgrade(parser_->get())) return false;
  try {
    const auto client = std::make_shared<WebSocket>(
        [&desk = shared_.desk, head = head_] { desk.ended(head, {.status = 101}); });
    client->start(std::move(socket_), parser_->get().base(), shared_.desk.converse(head_, client));
    state_ = State::closing;
    clear_deadline();
  } catch (...) {
    fail(std::current_exception());
  }
  return true;
}

void HttpConnection::begin_call() {
  const std::string expectation = text_of(parser_->get()[http::field::expect]);
  const bool has_body = !parser_->is_done();
  try {
    if (!expectation.empty() && !boost::beast::iequals(expectation, "100-continue")) {
      throw ApiError(417, "Expect: expected 100-continue, found " + expectation);
    }
    state_ = State::body;
    call_ = shared_.desk.begin(head_, exchange_);
  } catch (...) {
    return fail(std::current_exception());
  }
  if (!call_) return;  // it has its answer
  if (!has_body) return finish_body();
  if (!expectation.empty()) {
    to_send_ += "HTTP/1.1 100 Continue\r\n\r\n";
    flush();
  }
  piece_.resize(kPiece);
  set_deadline(shared_.limits.body_s);
  read_body();
}

void HttpConnection::read_body() {
  auto& body = parser_->get().body();
  body.data = piece_.data();
  body.size = piece_.size();
  http::async_read_some(
      socket_, buffer_, *parser_,
      [self = shared_from_this()](const Error& error, std::size_t) { self->take_body(error); });
}

void HttpConnection::take_body(Error error) {
  if (state_ != State::body) return;
  if (error == http::error::need_buffer) error = {};
  if (error && is_late_) {
    const ApiError late(408, "the body took too long", "", "timeout");
    return fail(std::make_exception_ptr(late));
  }
  if (error && (error == http::error::bad_chunk || error == http::error::bad_chunk_extension)) {
    return fail(std::make_exception_ptr(ApiError(400, "body: " + error.message())));
  }
  if (error) return leave();
  const std::size_t n = piece_.size() - parser_->get().body().size;
  n_received_ += n;
  try {
    if (n_received_ > shared_.limits.body_bytes) {
      throw ApiError(413,
                     "body: expected at most " + std::to_string(shared_.limits.body_bytes) +
                         " bytes, found more",
                     "", "body_too_large");
    }
    call_->take({piece_.data(), n});
  } catch (...) {
    return fail(std::current_exception());
  }
  if (state_ != State::body) return;
  if (parser_->is_done()) return finish_body();
  if (n_received_ - n_at_deadline_ >= kDeadlineBytes) {
    n_at_deadline_ = n_received_;
    set_deadline(shared_.limits.body_s);
  }
  read_body();
}

void HttpConnection::finish_body() {
  clear_deadline();
  piece_ = {};
  state_ = State::working;
  try {
    const auto call = call_;  // it may end meanwhile
    call->finish();
  } catch (...) {
    return fail(std::current_exception());
  }
  if (state_ == State::working) watch();
}

void HttpConnection::fail(const std::exception_ptr& failure) {
  call_.reset();
  shared_.desk.refused(head_, failure);
  whole(answer_of(api_error_of(failure)));
}

bool HttpConnection::is_http_1_0() const { return parser_ && parser_->get().version() == 10; }

std::string HttpConnection::head_of(Answer answer, std::optional<std::size_t> length) const {
  const auto more = shared_.desk.headers_for(head_);
  answer.headers.insert(answer.headers.end(), more.begin(), more.end());
  return head_text(answer, {is_http_1_0(), length, keeps_alive_});
}

void HttpConnection::whole(const Answer& answer) {
  if (state_ == State::answered || state_ == State::closing) return;
  // The rest of a body would be read as the next request.
  if (!parser_ || !parser_->is_done() || shared_.is_draining) keeps_alive_ = false;
  status_ = answer.status;
  to_send_ += head_of(answer, answer.body.size());
  if (head_.method != "HEAD") to_send_ += answer.body;
  state_ = State::answered;
  call_.reset();
  flush();
}

void HttpConnection::begin_events(const Answer& head) {
  if (state_ != State::working || has_events_) return;
  if (shared_.is_draining || is_http_1_0()) keeps_alive_ = false;
  has_events_ = true;
  status_ = head.status;
  to_send_ += head_of(head, std::nullopt);
  flush();
}

void HttpConnection::add_event(const std::string& text) {
  if (!has_events_ || state_ != State::working || text.empty()) return;
  to_send_ += is_http_1_0() ? text : chunk_text(text);
  flush();
}

void HttpConnection::end_events() {
  if (!has_events_ || state_ != State::working) return;
  if (!is_http_1_0()) to_send_ += kLastChunk;
  state_ = State::answered;
  call_.reset();
  flush();
}

void HttpConnection::flush() {
  if (!being_sent_.empty()) return;
  if (to_send_.empty()) {
    if (state_ == State::answered) end_request();
    return;
  }
  being_sent_.swap(to_send_);
  if (state_ != State::body) set_deadline(shared_.limits.body_s);
  asio::async_write(socket_, asio::buffer(being_sent_),
                    [self = shared_from_this()](const Error& error, std::size_t) {
                      self->being_sent_.clear();
                      if (error) return self->leave();
                      if (self->state_ == State::working) self->clear_deadline();
                      self->flush();
                    });
}

void HttpConnection::end_request() {
  clear_deadline();
  watch_.cancel();
  piece_ = {};
  call_.reset();
  exchange_.reset();
  shared_.desk.ended(head_,
                     {status_, std::chrono::duration<double>(Clock::now() - begun_).count()});
  if (!keeps_alive_) return linger();
  parser_.reset();
  wait_for_request();
}

// Whether the client is still there, while nothing is read from it.
void HttpConnection::watch() {
  watch_.expires_after(kWatch);
  watch_.async_wait([self = shared_from_this()](const Error& error) {
    if (error || self->state_ != State::working) return;
    pollfd socket{self->socket_.native_handle(), POLLRDHUP, 0};
    if (::poll(&socket, 1, 0) > 0) return self->leave();
    self->watch();
  });
}

// The client has left.
void HttpConnection::leave() {
  if (state_ == State::closing) return;
  if (call_) call_->client_left();
  if (exchange_) {
    shared_.desk.ended(head_, {status_ != 0 ? status_ : kClientLeft,
                               std::chrono::duration<double>(Clock::now() - begun_).count()});
  }
  close();
}

void HttpConnection::set_deadline(double seconds) {
  clear_deadline();
  deadline_.expires_after(
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds)));
  deadline_.async_wait([weak = weak_from_this(), number = n_deadlines_](const Error& error) {
    const auto self = weak.lock();
    if (error || !self || self->n_deadlines_ != number) return;
    self->is_late_ = true;
    Error ignored;
    self->socket_.cancel(ignored);
  });
}

void HttpConnection::clear_deadline() {
  is_late_ = false;
  ++n_deadlines_;  // one that has passed, but is not told yet
  deadline_.cancel();
}

void HttpConnection::linger() {
  state_ = State::closing;
  Error ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
  piece_.resize(kPiece);
  n_discarded_ = 0;
  set_deadline(kLingerSeconds);
  discard();
}

void HttpConnection::discard() {
  socket_.async_read_some(asio::buffer(piece_),
                          [self = shared_from_this()](const Error& error, std::size_t n) {
                            self->n_discarded_ += n;
                            if (error || self->n_discarded_ > kMostDiscarded) return self->close();
                            self->discard();
                          });
}

void HttpConnection::close() {
  state_ = State::closing;
  clear_deadline();
  watch_.cancel();
  call_.reset();
  exchange_.reset();
  Error ignored;
  socket_.close(ignored);
}

}  // namespace wnpu::serve
