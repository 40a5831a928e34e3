// Speech recognition with a Whisper model: the C interface of whisper-npu, for C and whatever calls
// C. It stays as it is while the library's SONAME does; whisper_npu.hpp says more of each option.
//
//   whisper_npu_model *model;
//   whisper_npu_session *session;
//   whisper_npu_transcript *transcript;
//   whisper_npu_audio audio;
//   whisper_npu_audio_init(&audio, sizeof audio);
//   audio.path = "talk.wav";
//   if (whisper_npu_model_open("tiny.en", NULL, &model) == WHISPER_NPU_OK &&
//       whisper_npu_session_open(model, 0, &session) == WHISPER_NPU_OK &&
//       whisper_npu_transcribe(session, &audio, NULL, NULL, &transcript) == WHISPER_NPU_OK)
//     puts(whisper_npu_transcript_text(transcript));
//
// Errors. What can fail returns a whisper_npu_status, and whisper_npu_error_text() says on the same
// thread what was expected and found. No exception leaves a function. NULL stands for the defaults
// of options and for no callbacks, and may be freed; where anything else is expected, it is refused
// with WHISPER_NPU_ERROR_USAGE, or answered with NULL or 0 by what returns no status.
//
// Structs that the caller fills begin with their size, and an init function gives every other field
// its default. The struct of a program may be shorter (an older program) or longer (a newer one)
// than the library's. A field that the library does not know must be 0, else the call that is given
// the struct fails with WHISPER_NPU_ERROR_USAGE. Fields are 8 bytes wide, so that a struct may end
// behind any of them. Structs that the library fills are never allocated or copied by the
// caller: later versions have more fields.
//
// Memory. What a call returns by a pointer to a pointer is the caller's, to be freed by the
// function of its name, in any order: a session keeps what it needs of its model. On an error it is
// NULL. What a getter returns belongs to what it was asked of and lives as long; what a callback is
// given lives until it returns. Nothing that is passed in is kept after the call.
//
// Threads. Any number may use a model or read a transcript at once; a session is used by one at a
// time. Sessions of one model work side by side, and what they give does not depend on each other.
//
// Strings end with NUL and are UTF-8 (a path: the bytes of its name). A NULL string is an empty
// one.
#ifndef WHISPER_NPU_H
#define WHISPER_NPU_H

#include <stddef.h>
#include <stdint.h>

#ifndef WHISPER_NPU_API
#define WHISPER_NPU_API __attribute__((visibility("default")))
#endif

// NOLINTBEGIN(readability-identifier-naming,modernize-*): C
#ifdef __cplusplus
extern "C" {
#endif

typedef struct whisper_npu_model whisper_npu_model;            // weights, loaded
typedef struct whisper_npu_session whisper_npu_session;        // working memory and threads
typedef struct whisper_npu_transcript whisper_npu_transcript;  // what was heard

// The numbers are the program's exit codes.
typedef enum whisper_npu_status {
  WHISPER_NPU_OK = 0,
  WHISPER_NPU_ERROR_USAGE = 2,      // arguments that make no sense, or that the model cannot serve
  WHISPER_NPU_ERROR_MODEL = 3,      // missing, damaged or not what it claims
  WHISPER_NPU_ERROR_AUDIO = 4,      // cannot be decoded
  WHISPER_NPU_ERROR_DEVICE = 5,     // the device that was asked for cannot be used
  WHISPER_NPU_ERROR_RESOURCES = 7,  // not enough memory, or no more threads
  WHISPER_NPU_ERROR_LIBRARY = 8,    // the audio needs a library that is not installed
  WHISPER_NPU_ERROR_INTERNAL = 70,  // a bug
  WHISPER_NPU_ERROR_STOPPED = 130   // asked to stop before the audio was open
} whisper_npu_status;

// "0.1.0"
WHISPER_NPU_API const char *whisper_npu_version(void);
// Message of the last failed call on this thread, one line; kept until the next failure. "" before
// the first.
WHISPER_NPU_API const char *whisper_npu_error_text(void);

// -- Model --

typedef struct whisper_npu_model_options {
  size_t size;
  const char *folder;         // in which names are looked for; empty: the cache folder
  const char *device;         // "auto", "cpu", "npu", "sim", "npu:0,npu:1", "sim:4", "cpu,npu",
                              // "ort:PROVIDER[:DEVICE]"
  const char *cpu_precision;  // "auto", "fp32", "int16", "int8"
  const char *npu_plan;       // "fused", "batched", "hybrid", "per-op"
  const char *npu_precision;  // "bf16", "int8"
  const char *npu_preset;     // whose times the simulator models: "phoenix-1.0/published"
  const char *npu_xclbin;     // the NPU's overlay; empty: the installed one
  int64_t falls_back;         // not 0: to the CPU, where the device fails in the middle of the work
  uint64_t threads;           // of the CPU; 0, or more than that: one for each CPU of this process
  const char *npu_plan_file;  // a layer plan of npu/lab/tune.py, in the place of npu_plan and
                              // npu_precision; empty: none
  const char *npu_operator;   // "gelu=NAME": in the place of the NPU's own; empty: none
  const char *npu_operator_path;  // the shared library that it comes from; empty: it is built in
  uint64_t memory_limit;  // bytes of buffers on each NPU; more is refused, or sent later; 0: none
  const char *device_split;  // "windows", "layers", "heads", "auto": what several devices divide
  double cpu_window_ms;      // what a window takes the CPU beside devices; 0: modelled
  double npu_window_ms;      // the same of each device
  const char *ort_library;   // ONNX Runtime's library, or a folder with it; empty: looked for
  const char *ort_plugin;    // library of a provider that is not part of it; empty: none
  const char *ort_option;    // "KEY=VALUE", for the provider; empty: none
  const char *ort_weights;   // "fp32", "fp16": type that the graph has its matrices in
} whisper_npu_model_options;

// Sets `size` and the default of every field. `size`: sizeof of the struct. WHISPER_NPU_ERROR_USAGE
// for NULL, or a size that is no multiple of 8 from 8 to 4096.
WHISPER_NPU_API whisper_npu_status
whisper_npu_model_options_init(whisper_npu_model_options *options, size_t size);

// Loads a model: a path, or a name in the folder of models ("tiny.en"). Errors: USAGE (an option),
// MODEL, DEVICE, RESOURCES, LIBRARY, INTERNAL.
WHISPER_NPU_API whisper_npu_status whisper_npu_model_open(const char *name_or_path,
                                                          const whisper_npu_model_options *options,
                                                          whisper_npu_model **model);
// Frees it; NULL does nothing. Sessions opened from it stay valid.
WHISPER_NPU_API void whisper_npu_model_free(whisper_npu_model *model);
// Device of the encoder: "cpu", "npu", "ort" (ONNX Runtime), or "sim", a simulated NPU.
WHISPER_NPU_API const char *whisper_npu_model_device(const whisper_npu_model *model);
// 1 or 0.
WHISPER_NPU_API int whisper_npu_model_is_multilingual(const whisper_npu_model *model);

// -- Session --

// Opens a session. `threads`: CPU threads; 0: as the model's options say; more than this process
// has CPUs is lowered to that. Errors: USAGE, DEVICE, RESOURCES, INTERNAL.
WHISPER_NPU_API whisper_npu_status whisper_npu_session_open(const whisper_npu_model *model,
                                                            uint64_t threads,
                                                            whisper_npu_session **session);
WHISPER_NPU_API void whisper_npu_session_free(whisper_npu_session *session);
// CPU threads that the system gave.
WHISPER_NPU_API uint64_t whisper_npu_session_threads(const whisper_npu_session *session);

// Input audio: one of path, bytes and samples.
typedef struct whisper_npu_audio {
  size_t size;
  const char *path;   // a file of any format; "-" is stdin
  const void *bytes;  // a file's content
  uint64_t n_bytes;
  const float *samples;  // mono, 16 kHz, -1 to 1; louder ones are cut off
  uint64_t n_samples;
  const char *raw_format;   // of a path or bytes without a header: FORMAT:RATE:CHANNELS, with
                            // ffmpeg's names, "s16le:16000:1"; empty: there is a header
  int64_t track;            // of several, counted from 0; -1: as ffmpeg chooses
  int64_t container_times;  // 0: what a film's sound lacks is no silence; initially 1
} whisper_npu_audio;

// As whisper_npu_model_options_init().
WHISPER_NPU_API whisper_npu_status whisper_npu_audio_init(whisper_npu_audio *audio, size_t size);

enum { WHISPER_NPU_TRANSCRIBE = 0, WHISPER_NPU_TRANSLATE = 1 };  // translate: to English
// Mixed, or each heard by itself, as one speaker.
enum { WHISPER_NPU_CHANNELS_MIX = 0, WHISPER_NPU_CHANNELS_SEPARATE = 1 };

// Fields, defaults and ranges are those of wnpu::TranscribeOptions in whisper_npu.hpp, which also
// has `temperatures` and `feature_bytes`; these two are not in C. Flags are 0 or not 0. NaN stands
// for none where the comment says so, and is refused elsewhere.
typedef struct whisper_npu_transcribe_options {
  size_t size;
  int64_t task;
  const char *language;  // "en"; empty: detected
  uint64_t beam_size;
  uint64_t best_of;
  double patience;
  double length_penalty;  // or none
  double repetition_penalty;
  uint64_t no_repeat_ngram_size;
  uint64_t seed;
  double temperature;
  double temperature_increment_on_fallback;  // or none
  double compression_ratio_threshold;        // or none
  double logprob_threshold;                  // or none
  double no_speech_threshold;                // or none
  const int32_t *suppress_tokens;
  uint64_t n_suppress_tokens;
  int64_t suppress_blank;
  double max_initial_timestamp;  // or none
  int64_t without_timestamps;
  uint64_t sample_len;
  const char *initial_prompt;
  int64_t carry_initial_prompt;
  const char *hotwords;
  const char *prefix;
  int64_t condition_on_previous_text;
  uint64_t batch_size;
  int64_t vad_enabled;
  const char *vad_weights;
  double vad_threshold;
  double vad_neg_threshold;  // or none
  double vad_min_speech_duration_ms;
  double vad_min_silence_duration_ms;  // or none
  double vad_speech_pad_ms;
  double language_detection_threshold;
  uint64_t language_detection_segments;
  int64_t word_timestamps;
  const char *prepend_punctuations;
  const char *append_punctuations;
  double hallucination_silence_threshold;  // or none
  const double *clip_timestamps;
  uint64_t n_clip_timestamps;
  int64_t pool_padding;
  int64_t multilingual;
  int64_t channels;              // a whisper_npu_channels
  int64_t speakers;              // told apart by voice; not with separate channels
  uint64_t speakers_min;         // speakers that may be found, 1 to
  uint64_t speakers_max;         // 20
  const char *speakers_weights;  // folder of the networks; "": in the cache folder
  const char *speaker_names;     // "left=Anna,right=Ben", "1=Anna,2=Ben"; "": none
} whisper_npu_transcribe_options;

// As whisper_npu_model_options_init().
WHISPER_NPU_API whisper_npu_status
whisper_npu_transcribe_options_init(whisper_npu_transcribe_options *options, size_t size);

// -- What was heard --

typedef struct whisper_npu_word {
  const char *text;     // with its leading space and merged punctuation
  double start;         // seconds from the start of the audio
  double end;           // seconds
  double probability;   // 0 to 1
  const char *speaker;  // as of its segment
} whisper_npu_word;

// Strings hold no NUL but the one at their end: one that was heard is U+FFFD.
typedef struct whisper_npu_segment {
  uint64_t id;    // running number in the audio
  uint64_t seek;  // frame of 10 ms at which the segment's window began
  double start;   // seconds from the start of the audio
  double end;     // seconds
  const char *text;
  const int32_t *tokens;  // with the timestamp tokens at both ends
  uint64_t n_tokens;
  double temperature;                    // at which the window was decoded, 0 to 1
  double avg_logprob;                    // mean natural log-probability of the window's tokens
  double compression_ratio;              // bytes of the window's text / bytes of its zlib stream
  double no_speech_prob;                 // probability of no speech in the window, 0 to 1
  const whisper_npu_word *const *words;  // none unless word timestamps were asked for
  uint64_t n_words;
  const char *language;  // code, with the option `multilingual`; else empty
  // With separate channels "left", "right" or "channel 1"; with `speakers` "speaker 1"; else empty.
  const char *speaker;
} whisper_npu_segment;

// Called while the audio is worked on, each with `user`; NULL: not called. What is not 0 asks to
// stop: whisper_npu_transcribe() then returns soon and calls back no more. It gives WHISPER_NPU_OK
// and what was finished, or WHISPER_NPU_ERROR_STOPPED and no transcript where the audio was not
// open yet (its header read).
typedef struct whisper_npu_callbacks {
  size_t size;
  void *user;
  // Each segment, once, in order, as soon as it is final.
  int (*on_segment)(void *user, const whisper_npu_segment *segment);
  // Seconds of audio that are done, and how many there are; 0 where that is not known yet.
  int (*on_progress)(void *user, double done_s, double total_s);
  // Asked several times a second, unlike the others from any thread.
  int (*should_stop)(void *user);
} whisper_npu_callbacks;

// As whisper_npu_model_options_init().
WHISPER_NPU_API whisper_npu_status whisper_npu_callbacks_init(whisper_npu_callbacks *callbacks,
                                                              size_t size);

// Transcribes one recording and blocks until it is done. On WHISPER_NPU_OK `*transcript` is the
// caller's (whisper_npu_transcript_free), also where a callback asked to stop
// (whisper_npu_transcript_is_truncated). Errors: USAGE, MODEL (vad_weights), AUDIO, DEVICE,
// RESOURCES, LIBRARY, INTERNAL; STOPPED where a callback asked to stop before the audio was open.
WHISPER_NPU_API whisper_npu_status
whisper_npu_transcribe(whisper_npu_session *session, const whisper_npu_audio *audio,
                       const whisper_npu_transcribe_options *options,
                       const whisper_npu_callbacks *callbacks, whisper_npu_transcript **transcript);
WHISPER_NPU_API void whisper_npu_transcript_free(whisper_npu_transcript *transcript);

// The text of all segments, joined; UTF-8. NULL for a NULL transcript, as of every getter below;
// numbers are 0 then.
WHISPER_NPU_API const char *whisper_npu_transcript_text(const whisper_npu_transcript *transcript);
// Its code: "en".
WHISPER_NPU_API const char *whisper_npu_transcript_language(
    const whisper_npu_transcript *transcript);
// Seconds of audio that were decoded.
WHISPER_NPU_API double whisper_npu_transcript_duration(const whisper_npu_transcript *transcript);
// 1: the work was stopped, and the segments hold what was finished; else 0.
WHISPER_NPU_API int whisper_npu_transcript_is_truncated(const whisper_npu_transcript *transcript);
WHISPER_NPU_API uint64_t
whisper_npu_transcript_n_segments(const whisper_npu_transcript *transcript);
// NULL beyond the last.
WHISPER_NPU_API const whisper_npu_segment *whisper_npu_transcript_segment(
    const whisper_npu_transcript *transcript, uint64_t i);
WHISPER_NPU_API uint64_t
whisper_npu_transcript_n_warnings(const whisper_npu_transcript *transcript);
// NULL beyond the last.
WHISPER_NPU_API const char *whisper_npu_transcript_warning(const whisper_npu_transcript *transcript,
                                                           uint64_t i);

#ifdef __cplusplus
}
#endif
// NOLINTEND(readability-identifier-naming,modernize-*)

#endif
