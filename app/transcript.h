// All that one input file gives: what the writers write.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "decoder/segment.h"

namespace wnpu::app {

// The file as it was found.
struct InputInfo {
  std::string path;    // as given; "-" for stdin
  std::string sha256;  // of the file's bytes, hex; empty where it was not asked for
  std::string format;  // "WAV", "FLAC", "mov,mp4,m4a,..." as the decoding library calls it
  int channels = 0;
  int sample_rate = 0;  // Hz, before resampling
  double duration = 0;  // seconds of audio that were decoded
};

// The model in use.
struct ModelInfo {
  std::string name;  // as given to --model
  std::string path;
  std::string format;        // "ctranslate2", "ggml", "safetensors"
  std::string sha256;        // of the weights file, hex; empty where it was not asked for
  std::string quantization;  // "f16", "q5_1", ... as it lies in the file
};

// What an NPU, or the simulator of one, did for one file.
struct NpuUse {
  std::string description;
  std::string plan;       // "fused", "batched", "hybrid", "per-op"
  std::string precision;  // "bf16", "int8"
  std::string preset;     // of the simulator's time model; empty on hardware
  std::size_t windows = 0;
  std::size_t launches = 0;          // program calls
  std::size_t submissions = 0;       // commands given to the driver; a run list counts once
  std::uint64_t ddr_bytes = 0;       // moved by the array, as the simulator counts; 0 on hardware
  double modelled_ms_per_layer = 0;  // the simulator's time model; 0 on hardware
};

// What was asked for and what ran.
struct DeviceInfo {
  std::string requested;  // "auto", "cpu", "npu", "sim"
  std::string used;       // "cpu", "npu", "sim"
  std::string reason;     // why, where requested is "auto"
  bool simulated = false;
  std::optional<NpuUse> npu;  // none: the CPU ran all
  // Why the CPU took over in the middle of the work (--fallback cpu); empty: it did not.
  std::string fallback;
  std::string cpu_precision;  // "fp32", "int16", "int8"
  std::string kernels;        // of the CPU path, e.g. "AVX2, OpenBLAS 0.3.21 Zen"
  std::string isa;            // that they use: "AVX2"
};

// Seconds, wall clock. Encoder and mel may work while the decoder does (--batch-size with a
// device): their sum is then more than the total.
struct Timing {
  double load = 0;          // model, once a process
  double decode_audio = 0;  // file to 16 kHz mono
  double mel = 0;
  double encode = 0;  // encoder alone
  double decode = 0;  // the rest from its states to segments, cross-attention's keys included
  double total = 0;   // file to segments, load excluded
  double vad = 0;     // waiting for speech to be found, beside decode_audio where threads allow
};

struct Transcript {
  std::string task = "transcribe";  // or "translate"
  std::string language;             // code: "en"
  // Probability of each language where it was detected, most probable first; empty where given.
  std::vector<std::pair<std::string, double>> language_probs;
  std::vector<decoder::Segment> segments;
  std::size_t n_windows = 0;  // that were encoded to be decoded
  std::size_t n_tokens = 0;   // decoded for them, timestamps and failed attempts included
  InputInfo input;
  ModelInfo model;
  DeviceInfo device;
  Timing timing;
  std::vector<std::string> warnings;
  bool truncated = false;  // the run was cancelled; segments hold what was finished
};

}  // namespace wnpu::app
