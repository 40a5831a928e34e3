// Errors of the server as its clients see them: a status, and OpenAI's object.
#pragma once

#include <exception>
#include <optional>
#include <stdexcept>
#include <string>

#include "app/serve/http/exchange.h"

namespace wnpu::serve {

// what() is the message: one line, with what was expected and what was found.
struct ApiError : std::runtime_error {
  ApiError(unsigned of_status, const std::string& message, std::string of_param = "",
           std::string of_code = "")
      : std::runtime_error(message),
        status(of_status),
        param(std::move(of_param)),
        code(std::move(of_code)) {}

  unsigned status;                        // of HTTP
  std::string param;                      // the field that it is about; empty: none
  std::string code;                       // a word for programs: "model_not_found"; empty: none
  std::optional<unsigned> retry_after_s;  // of 429 and 503
};

// A caught error as the client sees it. One that is no fault of the request's is 500, whose message
// says nothing of this machine.
ApiError api_error_of(const std::exception_ptr& failure);

// {"error": {"message": ..., "type": ..., "param": ..., "code": ...}}
std::string error_json(const ApiError& error);
Answer answer_of(const ApiError& error);

}  // namespace wnpu::serve
