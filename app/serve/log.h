// The log: a line a request, with its id and nothing of its content.
#pragma once

#include <exception>
#include <string>

#include "app/serve/http/api_error.h"
#include "app/serve/http/exchange.h"
#include "app/system/progress.h"

namespace wnpu::serve {

class Log {
 public:
  Log(app::Messages& messages, bool is_quiet) : messages_(messages), is_quiet_(is_quiet) {}

  void ended(const RequestHead& head, const Ended& end);
  // Says of an error that is the server's what the client is not told.
  void failure(const std::string& id, const ApiError& error, const std::exception_ptr& failure);

 private:
  app::Messages& messages_;
  bool is_quiet_;
};

}  // namespace wnpu::serve
