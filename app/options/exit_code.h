// Exit codes, and the errors that only app has.
#pragma once

#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "app/engine/whisper_npu.hpp"

namespace wnpu::app {

// A contract: listed in app/cli/README.md, tested by tests/program/cli_test.sh.
enum class ExitCode {
  ok = 0,
  some_failed = 1,  // a batch: at least one file failed, the others are done
  usage = 2,
  model = 3,      // missing, damaged or not what it claims
  audio = 4,      // the only input cannot be decoded
  device = 5,     // the device that was asked for cannot be used
  output = 6,     // a result cannot be written
  resources = 7,  // not enough memory, or no more threads
  library = 8,    // an input needs a library that is not installed
  network = 9,    // the only input's URL could not be fetched; a try later may do better
  internal = 70,  // a bug; BSD sysexits.h EX_SOFTWARE
  signal = 128,   // plus the signal's number: 130 for SIGINT, 141 for SIGPIPE
};

// For --help and the manual page; app/cli/README.md has the same in more words.
struct ExitCodeText {
  std::string_view code;  // "2", "128 + N"
  std::string_view meaning;
};
std::span<const ExitCodeText> exit_code_texts();

// Arguments that make no sense. what() is one line.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A result that cannot be written. what() names the path and the cause.
struct OutputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A result that cannot be written where others can: its name is too long, its place is a folder or
// a recording.
struct OneOutputError : OutputError {
  using OutputError::OutputError;
};

// A recording that could not be fetched, for a reason that may pass. what() begins with its URL.
struct NetworkError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The reader of our output went away: the end of the work, but nothing to complain about.
struct BrokenPipe : OutputError {
  using OutputError::OutputError;
};

// Message for an error: what(), in plainer words if a library wrote it, with the command line's
// names of options.
std::string text_of(const std::exception& error);

// A warning of the engine's, with the command line's name of the option that it is of.
Transcript with_option_names(Transcript transcript);

// The process' exit code for an error that reached main.
int exit_code_of(const std::exception& error);

// Whether the files after the one that it came from may do better.
bool is_of_one_file(const std::exception& error);

}  // namespace wnpu::app
