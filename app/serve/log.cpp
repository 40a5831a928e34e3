#include "app/serve/log.h"

#include <iostream>

#include "app/formats/log_event.h"
#include "app/options/exit_code.h"

namespace wnpu::serve {

void Log::ended(const RequestHead& head, const Ended& end) {
  if (app::log_format() == app::LogFormat::json) {
    if (is_quiet_) return;
    std::cerr << app::log_request_json(app::LogTime::clock::now(),
                                       {head.id, head.method, head.path, end.status, end.seconds})
              << std::flush;
    return;
  }
  messages_.note("request " + head.id + ": " + head.method + " " + head.path + " " +
                 std::to_string(end.status) + " in " +
                 std::to_string(static_cast<long>(end.seconds * 1000)) + " ms");
}

void Log::failure(const std::string& id, const ApiError& error, const std::exception_ptr& failure) {
  if (error.status < 500) return;
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& cause) {
    messages_.error("request " + id + ": " + app::text_of(cause));
  }
}

}  // namespace wnpu::serve
