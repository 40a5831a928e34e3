// A recording's transcript: segments and words, and facts of the audio, the model and the work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "whisper_npu_devices.hpp"  // beside this one

namespace wnpu {

struct Word {
  std::string text;          // UTF-8, with its leading space and merged punctuation
  double start = 0;          // seconds from the start of the audio
  double end = 0;            // seconds
  double probability = 0;    // 0 to 1
  std::string speaker = {};  // as of its segment
};

// Speech that a given text does not have, as it was heard.
struct ExtraSpeech {
  double start = 0;  // seconds from the start of the audio
  double end = 0;
  std::string text;  // UTF-8
};

// A stretch of recognised speech, with the fields of openai/whisper's segment dictionaries.
struct Segment {
  std::size_t id = 0;                // running number in the file
  std::size_t seek = 0;              // frame of 10 ms at which the segment's window began
  double start = 0;                  // seconds from the start of the audio
  double end = 0;                    // seconds
  std::string text;                  // UTF-8 with U+FFFD for broken characters
  std::vector<std::int32_t> tokens;  // with the timestamp tokens at both ends
  double temperature = 0;            // at which the window was decoded, 0 to 1
  double avg_logprob = 0;            // mean natural log-probability of the window's tokens
  double compression_ratio = 0;      // bytes of the window's text / bytes of its zlib stream
  double no_speech_prob = 0;         // probability of no speech in the window, 0 to 1
  std::vector<Word> words;           // empty unless word timestamps were asked for
  std::string language;              // code, with TranscribeOptions::multilingual; else empty
  std::string speaker = {};  // name as in Transcript::speakers; empty: not asked for, nobody
};

// Speaker that was told apart from others.
struct Speaker {
  std::string name;
  double seconds = 0;  // of their words; without words of their segments
  // Share of that time, 0 to 1, in which they alone spoke (SpeakerOptions), or in which their
  // channel was the loudest.
  double confidence = 0;
};

// The audio as it was found.
struct InputInfo {
  std::string path;    // Audio::name, else Audio::path ("-" is stdin), else "memory"
  std::string sha256;  // of the file's bytes, hex; the library leaves it to the program's JSON
  std::string format;  // "WAV", "FLAC", "mov,mp4,m4a,..." as the decoding library calls it
  int channels = 0;
  int sample_rate = 0;  // Hz, before resampling
  double duration = 0;  // seconds of audio that were decoded
};

// The model in use.
struct ModelInfo {
  std::string name;  // as given
  std::string path;
  std::string format;  // "ctranslate2", "ggml", "safetensors", "pytorch", "packed"
  // SHA-256 of the weights file, hex; of a packed file that of its source. The library fills it for
  // packed files only; the program computes it for JSON.
  std::string sha256;
  std::string quantization;  // "f16", "q5_1", ... as it lies in the file
};

// Seconds, wall clock. Encoder and mel may work while the decoder does (batch_size with a device):
// their sum is then more than the total.
struct Timing {
  double load = 0;          // model and session
  double decode_audio = 0;  // file to 16 kHz mono
  double mel = 0;
  double encode = 0;  // encoder alone
  double decode = 0;  // the rest from its states to segments, cross-attention's keys included
  double total = 0;   // file to segments, load excluded
  double vad = 0;     // waiting for speech to be found, beside decode_audio where threads allow
};

// All that one file gives.
struct Transcript {
  std::string task = "transcribe";  // or "translate"
  std::string language;             // code: "en"
  // (code, probability 0 to 1) of each language that was possible, likeliest first; none: given.
  std::vector<std::pair<std::string, double>> language_probs;
  std::vector<Segment> segments;
  // In the order in which they begin, or of the channels; none: not asked for.
  std::optional<std::vector<Speaker>> speakers;
  std::size_t n_windows = 0;  // that were encoded to be decoded
  std::size_t n_tokens = 0;   // decoded for them, timestamps and failed attempts included
  InputInfo input;
  ModelInfo model;
  DeviceInfo device;
  Timing timing;
  std::vector<std::string> warnings;
  bool is_aligned = false;                // Session::align: the segments' text was given
  std::vector<ExtraSpeech> extra_speech;  // of Session::align, in order
  bool truncated = false;                 // the work was stopped; segments hold what was finished
};

// Facts of a file known before its first window is decoded.
struct Beginning {
  std::string language;  // code, with its probabilities as in Transcript
  std::vector<std::pair<std::string, double>> language_probs;
  double duration = 0;                           // seconds of audio
  std::vector<std::pair<double, double>> clips;  // start and end seconds of what is transcribed
};

}  // namespace wnpu
