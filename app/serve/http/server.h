// The listener and the server's thread, by Boost.Asio. Nothing of Boost is here.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "app/serve/http/exchange.h"
#include "app/serve/http/limits.h"

namespace wnpu::serve {

class HttpServer {
 public:
  // Listens from now on. Throws UsageError where it cannot.
  HttpServer(const Place& place, const Limits& limits);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::string address() const;  // "http://127.0.0.1:8000"
  Post post() const;
  InBackground in_background() const;
  std::size_t n_connections() const;

  struct Run {
    Desk& desk;
    std::function<int()> stop_signal;   // 0: go on
    std::function<void()> each_second;  // what is to be done now and then
  };
  // Until a signal came and all that was at work then is done.
  void run(const Run& run);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wnpu::serve
