#include "app/serve/http/api_error.h"

#include <nlohmann/json.hpp>

#include "app/engine/error.h"
#include "app/engine/whisper_npu.hpp"
#include "app/options/exit_code.h"
#include "app/serve/http/multipart.h"

namespace wnpu::serve {
namespace {

const char* type_of(unsigned status) {
  if (status >= 500) return "server_error";
  return status == 429 ? "rate_limit_error" : "invalid_request_error";
}

nlohmann::ordered_json null_if_empty(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

ApiError of_engine(const std::exception& error) {
  const ErrorCode code = app::error_code(error);
  const auto* const own = dynamic_cast<const Error*>(&error);
  const std::string option(own != nullptr ? own->option() : "");
  switch (code) {
    case ErrorCode::usage:
      return {400, error.what(), option, "invalid_option"};
    case ErrorCode::audio:
      return {400, error.what(), "file", "invalid_audio"};
    case ErrorCode::library:
      return {415, error.what(), "file", "unsupported_audio"};
    case ErrorCode::resources:
      return {503, "not enough memory for this request now", "", "overloaded"};
    default:
      return {500, "the server has failed; its log says why", "", "internal_error"};
  }
}

}  // namespace

ApiError api_error_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const ApiError& error) {
    return error;
  } catch (const MultipartError& error) {
    return {400, error.what(), "", "invalid_body"};
  } catch (const app::NetworkError& error) {
    return {502, error.what(), "url", "fetch_failed"};
  } catch (const app::UsageError& error) {
    return {400, error.what(), "", "invalid_option"};
  } catch (const std::exception& error) {
    return of_engine(error);
  }
}

std::string error_json(const ApiError& error) {
  const nlohmann::ordered_json json = {{"error",
                                        {{"message", error.what()},
                                         {"type", type_of(error.status)},
                                         {"param", null_if_empty(error.param)},
                                         {"code", null_if_empty(error.code)}}}};
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

Answer answer_of(const ApiError& error) {
  Answer answer{.status = error.status, .body = error_json(error)};
  if (error.retry_after_s) {
    answer.headers.emplace_back("Retry-After", std::to_string(*error.retry_after_s));
  }
  if (error.status == 401) answer.headers.emplace_back("WWW-Authenticate", "Bearer");
  return answer;
}

}  // namespace wnpu::serve
