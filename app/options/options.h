// Options of the command line. Names and defaults are openai/whisper's where it has them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/engine/whisper_npu.hpp"
#include "app/formats/writers.h"
#include "models/kernels/vectors/blas.h"

namespace wnpu::app {

enum class Verbosity { quiet, normal, verbose };

// Action for an output file that exists already.
enum class ExistingOutput { refuse, overwrite, skip };

// Whether the work is done in a process of its own.
enum class Isolation { automatic, on, off };

// Whether a line with the file's name stands before its text on stdout.
enum class Headers { automatic, on, off };

// How messages stand on stderr: lines for people, or a JSON object a line.
enum class LogFormat { text, json };

// Whether text on stdout has colours that say how probable it is.
enum class Color { automatic, always, never };

// In what order results of rows come.
enum class RowOrder { input, done };

// How rows of a manifest are worked on together (app/jobs/rows).
struct RowLimits {
  std::size_t n_together = 8;     // rows at work at once
  double seconds_together = 240;  // of their audio; a longer row is alone
  std::size_t max_attempts = 2;   // of a row that kills the process that works on it
  RowOrder order = RowOrder::input;
  // Rows at work hang where none begins or ends for so long: seconds, and some for each second of
  // their audio. 0 seconds: they may.
  double timeout_s = 0;
  double timeout_factor = 20;
};

// Rows of a manifest: those that are done, and files for their results (app/jobs/manifest).
struct ManifestOptions {
  std::string file;             // empty: no rows, but files; "-" is stdin, of the command worker
  std::string shard;            // "i/n", "auto"; empty: all rows
  std::string resume;           // a file with results of earlier runs; empty: none
  bool retries_failed = false;  // of those
  std::string summary;          // a file for what is summed up at the end; empty: none
};

// Bytes of a recording at a URL, unless --max-download says another number.
inline constexpr std::uint64_t kMostFetched = std::uint64_t{4} << 30U;

struct Options {
  // Audio files; "-" is stdin.
  std::vector<std::string> inputs;
  // Whole URLs of the inputs that are URLs, by the form in which they are shown.
  std::map<std::string, std::string> urls;
  // Several of them, and those of rows, are fetched too.
  bool allows_urls = false;
  // Bytes of a recording that is fetched; none: kMostFetched.
  std::optional<std::uint64_t> max_download;
  // Folders among them stand for the recordings in them.
  bool recursive = false;
  // And so do links to folders in them; a watched folder's links may lead outside of it.
  bool follows_links = false;
  std::vector<std::string> skipped_links = {};  // to folders, that were not followed
  // Instead of inputs, a folder whose recordings are taken as they come; empty: none.
  std::string watch;
  // Subfolder of each input that was found in a folder: its path below that folder.
  std::map<std::string, std::string> subfolders;
  // Instead of inputs, rows.
  ManifestOptions manifest;
  RowLimits rows;
  // How raw samples on stdin look ("s16le:16000:1"); empty: stdin is a file of any format.
  std::string stdin_format;
  // Settings for each input: track, times, limits.
  Audio each_audio;

  // Name in the cache folder, or path of a model file or folder.
  std::string model = "tiny.en";
  // Folder of such names; empty: the cache folder.
  std::string model_dir;
  // Pull a model that is not there without asking; never pull one.
  bool yes = false;
  bool offline = false;
  // Device and precision of the encoder.
  DeviceOptions device;
  // Who multiplies in fp32.
  kernels::Gemm gemm = kernels::Gemm::own;
  // CPU threads; 0: as many as this process may use.
  unsigned threads = 0;
  // How the text is searched for.
  TranscribeOptions transcribe;
  // Voice activity detection as asked for; none: what fits the batch size. transcribe.vad.enabled
  // is what comes of it.
  std::optional<bool> vad;

  // Choices made for the options above that nobody has given.
  Choices choices;
  // Whether device.memory_limit bounds the host where the CPU computes; else it is of NPUs alone.
  bool bounds_host = false;

  // Output formats. Empty: text to stdout or --output, every format to --output-dir.
  std::vector<Format> formats;
  // Folder for <name of the input>.<format>; empty: none.
  std::string output_dir;
  // The name of a result (app/output/output_template.h), below output_dir; empty: as that says.
  std::string output_template;
  // The one file to write to; "-" or empty: stdout, unless output_dir is given.
  std::string output;
  ExistingOutput existing = ExistingOutput::refuse;
  SubtitleLayout layout;

  Headers headers = Headers::automatic;        // on where several inputs' text goes to stdout
  Color color = Color::automatic;              // on where stdout is a terminal
  Isolation isolation = Isolation::automatic;  // on where there are several inputs
  Verbosity verbosity = Verbosity::normal;
  LogFormat log_format = LogFormat::text;
  // Stop before the encoder and report durations.
  bool dry_run = false;

  Audio audio(const std::string& input) const {
    Audio audio = each_audio;
    audio.path = input;
    if (input == "-") audio.raw_format = stdin_format;
    return audio;
  }
};

}  // namespace wnpu::app
