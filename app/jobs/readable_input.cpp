#include "app/jobs/readable_input.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <unistd.h>

#include "app/engine/whisper_npu.hpp"
#include "app/options/exit_code.h"
#include "app/system/url.h"

namespace wnpu::app {

void check_readable(const std::string& input) {
  if (input == "-") {
    if (::isatty(STDIN_FILENO) != 0) {
      throw UsageError("- is stdin, and that is a terminal: send a file there");
    }
    return;
  }
  if (is_web_url(input)) return;  // it shows when it is fetched
  std::error_code error;
  const std::string expected = input + ": expected an audio file, found ";
  if (std::filesystem::is_directory(input, error)) {
    throw Error(ErrorCode::audio, expected + "a folder; --recursive takes the recordings in it");
  }
  if (::access(input.c_str(), R_OK) != 0) {
    throw Error(ErrorCode::audio, expected + std::strerror(errno));
  }
}

void check_only_input(const std::vector<PlannedInput>& plan) {
  if (plan.size() == 1 && !plan.front().is_skipped) check_readable(plan.front().input);
}

}  // namespace wnpu::app
