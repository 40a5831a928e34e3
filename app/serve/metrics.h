// The server's work in numbers, as Prometheus reads them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/engine/whisper_npu_service.hpp"
#include "app/serve/http/api_error.h"

namespace wnpu::serve {

enum class Stage { receive, wait, read, mel, vad, encode, decode, total };
inline constexpr std::array<std::string_view, 8> kStageNames{
    "receive", "wait", "read", "mel", "vad", "encode", "decode", "total"};

// Sum of a quantity, and its quantiles over the last kKept values.
class Summary {
 public:
  void add(double value);
  std::string text(const std::string& name, const std::string& labels) const;

 private:
  static constexpr std::size_t kKept = 1024;
  std::vector<double> last_;
  std::uint64_t n_ = 0;
  double sum_ = 0;
};

// Numbers of the moment.
struct Gauges {
  ServiceLoad load;
  std::size_t n_inside = 0;  // requests at work or waiting
  std::size_t n_together = 1;
  std::size_t n_connections = 0;
  std::size_t n_models = 0;  // that are loaded
  std::uint64_t spool_bytes = 0;
};

// On the server's thread.
class Metrics {
 public:
  void count_answer(std::string_view path, unsigned status);
  void count_refusal(const ApiError& error);
  void count_cancelled() { ++n_cancelled_; }
  void add_stage(Stage stage, double seconds);
  // A recording that was transcribed in so many seconds.
  void add_transcript(const Transcript& transcript, double seconds);

  std::string text(const Gauges& now) const;

 private:
  std::map<std::pair<std::string, unsigned>, std::uint64_t> answers_;  // by path and status
  std::map<std::string, std::uint64_t, std::less<>> refusals_;
  std::uint64_t n_cancelled_ = 0;
  std::array<Summary, kStageNames.size()> stages_;
  Summary rtf_;
  double audio_s_ = 0;
};

}  // namespace wnpu::serve
