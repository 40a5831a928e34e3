// A request and its answer, whatever carries them: all that the server does is written against
// this, and HTTP is in connection.h alone. All calls are on the server's one thread.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wnpu::serve {

// A request without its body. Header fields that are not there are empty.
struct RequestHead {
  std::string id;  // of the request, for log and client
  std::string method;
  std::string path;  // "/v1/models", without its query
  std::string query = {};
  std::string content_type;
  std::string authorization;
  std::string protocols = {};  // that a WebSocket offers
  std::string origin;
  std::string host = {};
  std::string openai_beta = {};
  std::optional<std::uint64_t> content_length;
  bool is_chunked = false;
};

struct Answer {
  unsigned status = 200;
  std::string type = "application/json";
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
};

// Way back to the client. One of whole(), and begin() with its events and end(), is called, once;
// later calls do nothing, nor do they where the client has left.
class Client {
 public:
  virtual ~Client() = default;
  virtual void whole(Answer answer) = 0;
  virtual void begin(Answer head) = 0;  // without a body
  virtual void event(std::string text) = 0;
  virtual void end() = 0;
};

// A request whose body comes. What take() and finish() throw is its answer.
class Call {
 public:
  virtual ~Call() = default;
  virtual void take(std::string_view bytes) = 0;
  virtual void finish() = 0;
  // Nobody waits for an answer any more.
  virtual void client_left() = 0;
};

// Way back to a client that has left HTTP for WebSocket.
class TextClient {
 public:
  virtual ~TextClient() = default;
  virtual void send(std::string text) = 0;
  // After Conversation::take() has said no.
  virtual void read_on() = 0;
  // Behind all that was sent; a code of RFC 6455.
  virtual void close(unsigned code, const std::string& reason) = 0;
};

// Conversation with a client by WebSocket.
class Conversation {
 public:
  virtual ~Conversation() = default;
  // False: no more is read until read_on().
  virtual bool take(std::string_view text) = 0;
  virtual void client_left() = 0;
};

// End of a request, for log and metrics.
struct Ended {
  unsigned status = 0;  // 499: the client has left before there was an answer
  double seconds = 0;
};

// The side that does what requests ask for.
class Desk {
 public:
  virtual ~Desk() = default;
  // Null where it has its answer by now. Throws one that is an error.
  virtual std::shared_ptr<Call> begin(const RequestHead& head,
                                      const std::shared_ptr<Client>& client) = 0;
  // For a request that wants to leave HTTP for WebSocket. Throws its answer, if that is an error.
  virtual std::shared_ptr<Conversation> converse(const RequestHead& head,
                                                 const std::shared_ptr<TextClient>& client) = 0;
  // Header fields of each answer to it.
  virtual std::vector<std::pair<std::string, std::string>> headers_for(const RequestHead& head) = 0;
  // An error that was the answer, and what it came of.
  virtual void refused(const RequestHead& head, const std::exception_ptr& failure) = 0;
  virtual void ended(const RequestHead& head, const Ended& end) = 0;
  // The server is going to end once it is idle: nothing is at work, with a client or without.
  virtual void drain() = 0;
  virtual bool is_idle() const = 0;
};

// Runs something later on the server's thread; may be called from any.
using Post = std::function<void(std::function<void()>)>;
// Runs something that takes long on another.
using InBackground = std::function<void(std::function<void()>)>;

}  // namespace wnpu::serve
