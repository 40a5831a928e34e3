// What the command line asks for. Names and defaults are openai/whisper's where it has them.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/device_choice.h"
#include "app/subcommand.h"
#include "app/transcribe_options.h"
#include "app/writers.h"
#include "audio/input.h"

namespace wnpu::app {

enum class Verbosity { quiet, normal, verbose };

// What to do where an output file is there already.
enum class ExistingOutput { refuse, overwrite, skip };

struct Options {
  // Audio files; "-" is stdin.
  std::vector<std::string> inputs;
  // How raw samples on stdin look; without it stdin is a file of any format.
  std::optional<audio::RawFormat> stdin_format;

  // Name in the cache folder, or path of a model file or folder.
  std::string model = "tiny.en";
  // Where the encoder runs.
  DeviceOptions device;
  // CPU threads; 0: as many as this process may use.
  unsigned threads = 0;
  // How the text is searched for.
  TranscribeOptions transcribe;
  // Voice activity detection as asked for; none: what fits the batch size. transcribe.vad.enabled
  // is what comes of it.
  std::optional<bool> vad;

  // What is written. Empty: text to stdout or --output, every format to --output-dir.
  std::vector<Format> formats;
  // Folder for <name of the input>.<format>; empty: none.
  std::string output_dir;
  // The one file to write to; "-" or empty: stdout, unless output_dir is given.
  std::string output;
  ExistingOutput existing = ExistingOutput::refuse;
  SubtitleLayout layout;

  Verbosity verbosity = Verbosity::normal;
  // Stop before the encoder and report durations.
  bool dry_run = false;
};

enum class Command { transcribe, print, other };

struct CommandLine {
  Command command = Command::transcribe;
  Options options;           // of transcribe
  std::string text;          // of print: what --help or --version say, for stdout
  std::function<int()> run;  // of other: a Subcommand's
};

// Throws UsageError. `arguments` are main's, without the program's name; `others` are the commands
// beside transcribe, and outlive the call.
CommandLine parse_command_line(std::span<const char* const> arguments,
                               std::span<const Subcommand> others = {});

}  // namespace wnpu::app
