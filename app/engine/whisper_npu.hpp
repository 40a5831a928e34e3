// Speech recognition with a Whisper model: the engine of whisper-npu, for C++ programs. What is
// here may change with any version, and a program built for another is not started; whisper_npu.h,
// for C and what can call it, stays as it is.
//
//   wnpu::Model model("tiny.en");                  // once in a process, for all threads
//   wnpu::Session session(model);                  // one at work at a time
//   wnpu::Transcript talk = session.transcribe({.path = "talk.wav"});
//   for (const wnpu::Segment& segment : talk.segments) std::cout << segment.text << '\n';
//
// What cannot be done is thrown as wnpu::Error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "whisper_npu_devices.hpp"  // beside this one, with:
#include "whisper_npu_transcript.hpp"

#define WHISPER_NPU_API __attribute__((visibility("default")))

namespace wnpu {

// The classes of errors. Their numbers are the program's exit codes.
enum class ErrorCode {
  usage = 2,      // options that make no sense, or that the model cannot serve
  model = 3,      // missing, damaged or not what it claims
  audio = 4,      // cannot be decoded
  device = 5,     // the device that was asked for cannot be used
  resources = 7,  // not enough memory, or no more threads
  library = 8,    // the audio needs a library that is not installed
  internal = 70,  // a bug
  stopped = 130,  // asked to stop before the audio was open
};

// what() is one line: the path or option, what was expected, what was found.
class WHISPER_NPU_API Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& what);
  // An error about an option: what() is the option's name followed by `what`.
  Error(std::string_view option, const std::string& what);
  Error(const Error&) = default;
  Error& operator=(const Error&) = default;
  ~Error() override;

  ErrorCode code() const { return code_; }
  // The field of the options that is refused ("beam_size", "vad.threshold"), with which what()
  // begins; empty: none.
  std::string_view option() const { return std::string_view(what()).substr(0, option_size_); }

 private:
  ErrorCode code_;
  std::size_t option_size_ = 0;
};

struct ModelOptions {
  std::string folder = {};  // in which names are looked for; empty: the cache folder
  DeviceOptions device = {};
  // CPU threads for loading, and the default of sessions. 0: one for each CPU of this process
  // (affinity and cgroup). A larger number is lowered to that.
  unsigned threads = 0;

  bool operator==(const ModelOptions&) const = default;
};

// Input audio: a path, or bytes. Memory behind spans must stay valid until the call returns.
struct Audio {
  // A file of any format; "-" is stdin; empty: `bytes`.
  std::string path = {};
  // A file's content in memory.
  std::span<const std::byte> bytes = {};
  // Format of samples without a header: FORMAT:RATE:CHANNELS, "s16le:16000:1", formats as ffmpeg
  // names them (s16le, f32le, ...), rate in Hz. Empty: they have a header.
  std::string raw_format = {};
  // Audio track to read of several, counted from 0; empty: as ffmpeg chooses.
  std::optional<std::size_t> track = std::nullopt;
  // Only this stretch is heard, as if it were a file of its own: from start_s, which must lie
  // within the audio, for duration_s or to the audio's end. Seconds from 0 to 1e8.
  double start_s = 0;
  std::optional<double> duration_s = {};
  // Name in errors and the transcript; empty: its path.
  std::string name = {};
  bool container_times = true;  // what a film's sound lacks is silence; false: as openai-whisper
  double max_duration_s = 24 * 60 * 60;  // of a pipe, which may have no end: 1 to 1e8

  // Mono samples at 16 kHz, in -1 .. 1; louder ones are cut off, with a warning where it is much,
  // and NaN is Error(audio).
  static Audio from_samples(std::span<const float> samples) {
    return {.path = {}, .bytes = std::as_bytes(samples), .raw_format = "f32le:16000:1"};
  }
};

enum class Task { transcribe, translate };  // translate: to English

// Only speech is decoded, as the Silero detector finds it (faster-whisper's rules and names). Times
// are 0 to 1e6.
struct VadOptions {
  bool enabled = false;  // not together with clip_timestamps
  // silero_vad_16k.safetensors; empty: in the cache folder.
  std::string weights = {};
  double threshold = 0.5;  // speech begins where its probability is at least this (0 to 1),
  // and ends where it is below this; none: threshold - 0.15, at least 0.01.
  std::optional<double> neg_threshold = {};
  double min_speech_duration_ms = 0;  // shorter speech is dropped
  // Longer speech is cut, in a pause if it has one, 1 to 1e6; none: in batches 30, else not at all.
  std::optional<double> max_speech_duration_s = {};
  // Shorter silence does not end speech; none: 2000, in batches 160.
  std::optional<double> min_silence_duration_ms = {};
  double speech_pad_ms = 400;  // speech is taken with this much around it

  bool operator==(const VadOptions&) const = default;
};

// Channels of a recording: mixed, or each heard by itself, as one speaker. Separate channels are
// merged by time, without words that one hears from another. They are named "left" and "right",
// or "channel 1" where there are not two, 8 at most.
enum class Channels { mix, separate };

// Speakers of mixed channels, told apart by their voices. Segments end where the speaker changes;
// their texts, one behind the other, are those without it. Named "speaker 1", "speaker 2", ...
struct SpeakerOptions {
  bool enabled = false;  // not together with Channels::separate
  std::size_t min = 1;   // speakers that may be found, 1 <= min <= max <= 20
  std::size_t max = 20;
  std::string weights = {};  // folder of the networks; empty: in the cache folder
  // Names to use: of "1", "2", ..., in the order of Transcript::speakers, or of the channels "left"
  // and "right". No two keys and no two names are equal.
  std::vector<std::pair<std::string, std::string>> names = {};

  bool operator==(const SpeakerOptions&) const = default;
};

// How audio is transcribed: openai/whisper's options with its names and defaults (transcribe.py
// cli() and decoding.py DecodingOptions). An empty optional is openai's None. Of numbers the
// comment gives the range, of those without one it is -1e9 to 1e9; anything else, NaN too, is
// Error(usage).
struct TranscribeOptions {
  Task task = Task::transcribe;
  // Code of the language spoken ("en", never a name such as "english"); empty: detected from the
  // first language_detection_segments windows.
  std::string language = {};

  // Beams of the search at temperature 0, 1 to 64; 1 is greedy.
  std::size_t beam_size = 5;
  std::size_t best_of = 5;  // candidates drawn at temperatures above 0, 1 to 64
  // The search ends when round(beam_size * patience) candidates are finished, 0.1 to 100.
  double patience = 1.0;
  // Exponent alpha of Google's length penalty; None: average log-probability.
  std::optional<double> length_penalty = {};
  // Above 1: tokens that came already become less likely, 0.1 to 10 (faster-whisper).
  double repetition_penalty = 1.0;
  // No sequence of this many tokens twice, up to 224; 0: off (faster-whisper).
  std::size_t no_repeat_ngram_size = 0;
  std::uint64_t seed = 0;  // starts the random numbers of sampling

  // The first temperature, 0 to 1; with an increment, 0.01 to 1, a window that fails the two tests
  // below is decoded again at temperature + increment, and so on up to 1.
  double temperature = 0;
  std::optional<double> temperature_increment_on_fallback = 0.2;
  // In the place of both: temperatures to try in turn, each 0 to 1; empty: none.
  std::vector<double> temperatures = {};
  // Failed where the zlib compression ratio of the text is above this.
  std::optional<double> compression_ratio_threshold = 2.4;
  // Failed where the average log-probability is below this.
  std::optional<double> logprob_threshold = -1.0;
  // Silence where the no-speech probability is above this and the log-probability test failed.
  std::optional<double> no_speech_threshold = 0.6;

  // Tokens never produced; -1 stands for the vocabulary's non-speech tokens.
  std::vector<std::int32_t> suppress_tokens = {-1};
  // No blank and no end of text as the first token of a window.
  bool suppress_blank = true;
  // The first timestamp of a window is at most this, in seconds, 0 to 30.
  std::optional<double> max_initial_timestamp = 1.0;
  // Text without timestamps: one segment a window.
  bool without_timestamps = false;
  // Tokens a window at most, up to 224; 0: half of n_text_ctx.
  std::size_t sample_len = 0;

  // Text that is taken to have been said before the first window.
  std::string initial_prompt = {};
  // The initial prompt comes before the text of every window, not of the first alone.
  bool carry_initial_prompt = false;
  // Words that are likely, put before the prompt of every window (faster-whisper).
  std::string hotwords = {};
  // Text that the first window begins with; it is not repeated in the result.
  std::string prefix = {};
  // The text of the window before is the prompt of the next one.
  bool condition_on_previous_text = true;
  // Windows decoded together, 1 to 64; above 1 each stretch of speech is by itself, without the
  // text before it as a prompt, and `vad` or clip_timestamps must say what the stretches are.
  std::size_t batch_size = 1;
  VadOptions vad = {};
  Channels channels = Channels::mix;
  SpeakerOptions speakers = {};
  // The encoder averages padding positions well behind the end of the audio, six to one. Faster
  // where windows are not full; the text changes a little. CPU only: NPUs and simulators ignore it.
  bool pool_padding = false;
  // Bytes of log-mel kept in memory for one file, 1 MiB to 1 GiB. A file with more of it is decoded
  // a second time; the text is the same. 64 MiB: 35 minutes with 80 mels.
  std::uint64_t feature_bytes = std::uint64_t{64} << 20;
  // A language more probable than this (0 to 1) is taken at once, else the most frequent of the
  // first windows' that hold speech, by no_speech_threshold, 1 to 64 of them (faster-whisper).
  double language_detection_threshold = 0.5;
  std::size_t language_detection_segments = 1;
  // Several languages, heard in slices of about 5 s (faster-whisper): another begins where what
  // follows is 20 times (exp(3)) likelier in it, and the window ends there. `language`, or the one
  // that is detected, comes first. A model of English alone warns, and has one.
  bool multilingual = false;
  bool word_timestamps = false;  // start, end and probability of every word
  // Marks that belong to the word after them,
  std::string prepend_punctuations = "\"'“¿([{-";
  // and to the word before them.
  std::string append_punctuations = "\"'.。,，!！?？:：”)]}、";
  // With word_timestamps: a probable hallucination beside more silence than this (s) is dropped.
  std::optional<double> hallucination_silence_threshold = {};
  // Start and end seconds of the stretches to transcribe, in pairs; an open end is the file's. From
  // 0 to 1e8, none before the one before it.
  std::vector<double> clip_timestamps = {0};

  bool operator==(const TranscribeOptions&) const = default;
};

// Callbacks during the work on a file: on the thread that called transcribe(), but for should_stop.
// An exception of theirs ends the work and reaches the caller.
struct Callbacks {
  // The samples as they are heard, mono, 16 kHz, in order, at most a second at a time; of separate
  // channels one channel behind the other.
  std::function<void(std::span<const float>)> on_samples = {};
  // Once, unless the work is stopped before.
  std::function<void(const Beginning&)> on_beginning = {};
  // Each segment, once, in order, as soon as it is final: of separate channels at the end.
  std::function<void(const Segment&)> on_segment = {};
  // Seconds of audio that are done, and how many there are; 0 where that is not known yet.
  std::function<void(double done_s, double total_s)> on_progress = {};
  // Asked several times a second, from any of the session's threads. true means stop, and it is
  // not asked again: what is finished is returned with `truncated` set, or Error(stopped) is thrown
  // where the audio was not open yet (its header read). For a stop that comes from a signal
  // handler; a std::stop_token does the same.
  std::function<bool()> should_stop = {};
};

// One of several recordings that are transcribed together.
struct Recording {
  Audio audio;
  std::string language = {};  // empty: as the options say
};

// How much is at work, when another recording is asked for.
struct AtWork {
  std::size_t n_recordings = 0;
  double seconds = 0;  // of their audio
};

// Callbacks of a session that transcribes several recordings together, each on the thread that
// called transcribe_each(). An exception of theirs ends the work and reaches the caller.
struct RecordingCallbacks {
  // The next recording; none: nothing yet. Asked where there is room for one, between two steps of
  // the decoder.
  std::function<std::optional<Recording>(const AtWork&)> next;
  // Once for each recording, as it ends: its number, in the order of `next` from 0 on, and its
  // transcript, or what was thrown. What was stopped is `truncated`, or Error(stopped) where its
  // audio was not open yet.
  std::function<void(std::size_t number, Transcript transcript, std::exception_ptr failure)> done;
  // As in Callbacks.
  std::function<bool()> should_stop = {};
};

// A model's weights, loaded. Copies are the same model, and any number of threads may use it.
class WHISPER_NPU_API Model {
 public:
  // A path, or a name in the folder of models ("tiny.en"). Throws Error: usage, model, device,
  // resources, library.
  explicit Model(const std::string& name_or_path, const ModelOptions& options = {});

  const ModelInfo& info() const;
  // Device of the encoder, as settled when the model was loaded.
  const DeviceInfo& device() const;
  bool is_multilingual() const;
  // Threads of a session that does not say how many.
  unsigned threads() const;
  // Throws Error(usage) for values that are out of range or exclude each other, and for a task,
  // language or token that the model does not have. transcribe() does the same.
  void check(const TranscribeOptions& options) const;

  struct State;

 private:
  friend class Service;
  friend class Session;
  std::shared_ptr<State> state_;
};

// A model's working memory and threads: transcribes one file at a time. A model may have any number
// of sessions, each on a thread of its own; what they give does not depend on each other. A
// session's memory does not depend on the length of the audio, except for the log-mel that it keeps
// (TranscribeOptions::feature_bytes, 64 MiB by default) and, in align(), for states of the windows
// that it heard (256 MiB at most): it is the states of one window in encoder and decoder, and grows
// with the model's width and text layers, with the threads, and with beams, candidates and
// batch_size.
class WHISPER_NPU_API Session {
 public:
  // threads: of the CPU, at most as many as this process has; 0: as the model's options say. Throws
  // Error.
  explicit Session(const Model& model, unsigned threads = 0);
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  // Transcribes one recording. Stopped while it is at work, it returns with `truncated` set. Throws
  // Error: usage, model (vad.weights), audio, device, resources, library; stopped, where it was
  // asked to stop before the audio was open (its header read). Throws what the callbacks throw.
  Transcript transcribe(const Audio& audio, const TranscribeOptions& options = {},
                        const Callbacks& callbacks = {}, const std::stop_token& stop = {});
  // Transcribes recordings together, up to n_together (1 to 64) at a time, which takes less time
  // than one after another. Each transcript is bit for bit that of transcribe(); its `timing` is
  // this recording's share of the common work. Returns when none is at work and `next` has none.
  // A recording that cannot be read, or whose language the model does not have, has failed alone;
  // everything else is thrown. batch_size must be 1.
  void transcribe_each(std::size_t n_together, const TranscribeOptions& options,
                       const RecordingCallbacks& callbacks, const std::stop_token& stop = {});
  // Times of a given text's words in a recording: each element of `text` (UTF-8) becomes a segment,
  // with words. A first pass hears the recording with these options; where the text matches it, its
  // words are timed by the model. A word that was not heard has probability 0 and no length, at the
  // end of the word before; extra_speech is what else was heard. Stopped while it is at work, it
  // returns with `truncated` set. Throws Error as transcribe(), and usage for a text without words,
  // that is not UTF-8, or that has more than 400 characters and 60 a second of audio; audio where
  // no speech is heard.
  Transcript align(const Audio& audio, std::span<const std::string> text,
                   const TranscribeOptions& options = {}, const Callbacks& callbacks = {},
                   const std::stop_token& stop = {});
  // CPU threads that the system gave.
  unsigned threads() const;

 private:
  friend class Service;
  struct State;
  std::unique_ptr<State> state_;
};

// Reads audio as transcribe() does, without a model: fills input, timing, warnings and truncated.
// Throws Error: usage, audio, library, resources, stopped.
WHISPER_NPU_API Transcript read_audio(const Audio& audio, const Callbacks& callbacks = {});

}  // namespace wnpu
