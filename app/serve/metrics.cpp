#include "app/serve/metrics.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace wnpu::serve {
namespace {

constexpr std::array<double, 2> kQuantiles{0.5, 0.95};

std::string metric_number(double value) {
  std::ostringstream text;
  text.precision(9);
  text << value;
  return std::move(text).str();
}

void describe(std::string& text, const std::string& name, const char* type, const char* help) {
  text += "# HELP " + name + " " + help + "\n# TYPE " + name + " " + type + "\n";
}

void add_line(std::string& text, const std::string& name, const char* type, const char* help,
              double value) {
  describe(text, name, type, help);
  text += name + " " + metric_number(value) + "\n";
}

}  // namespace

void Summary::add(double value) {
  if (last_.size() < kKept) {
    last_.push_back(value);
  } else {
    last_[n_ % kKept] = value;
  }
  ++n_;
  sum_ += value;
}

std::string Summary::text(const std::string& name, const std::string& labels) const {
  std::vector<double> sorted = last_;
  std::ranges::sort(sorted);
  std::string text;
  for (const double quantile : kQuantiles) {
    const auto place =
        static_cast<std::size_t>(std::ceil(quantile * static_cast<double>(sorted.size())));
    const double value =
        sorted.empty() ? std::nan("") : sorted[std::max<std::size_t>(place, 1) - 1];
    text += name + "{" + labels + (labels.empty() ? "" : ",") + "quantile=\"" +
            metric_number(quantile) + "\"} " + (sorted.empty() ? "NaN" : metric_number(value)) +
            "\n";
  }
  const std::string braces = labels.empty() ? "" : "{" + labels + "}";
  text += name + "_sum" + braces + " " + metric_number(sum_) + "\n";
  return text + name + "_count" + braces + " " + std::to_string(n_) + "\n";
}

void Metrics::count_answer(std::string_view path, unsigned status) {
  ++answers_[{std::string(path), status}];
}

void Metrics::count_refusal(const ApiError& error) {
  ++refusals_[error.code.empty() ? std::to_string(error.status) : error.code];
}

void Metrics::add_stage(Stage stage, double seconds) {
  stages_.at(static_cast<std::size_t>(stage)).add(seconds);
}

void Metrics::add_transcript(const Transcript& transcript, double seconds) {
  const Timing& timing = transcript.timing;
  add_stage(Stage::read, timing.decode_audio);
  add_stage(Stage::mel, timing.mel);
  add_stage(Stage::vad, timing.vad);
  add_stage(Stage::encode, timing.encode);
  add_stage(Stage::decode, timing.decode);
  add_stage(Stage::total, seconds);
  const double audio_s = transcript.input.duration;
  audio_s_ += audio_s;
  if (audio_s > 0) rtf_.add(seconds / audio_s);
}

std::string Metrics::text(const Gauges& now) const {
  std::string text;
  const std::string prefix = "whisper_npu_";
  describe(text, prefix + "http_requests_total", "counter", "Answers by path and status.");
  for (const auto& [of, n] : answers_) {
    text += prefix + "http_requests_total{path=\"" + of.first + "\",status=\"" +
            std::to_string(of.second) + "\"} " + std::to_string(n) + "\n";
  }
  describe(text, prefix + "refusals_total", "counter", "Requests that were refused, by reason.");
  for (const auto& [reason, n] : refusals_) {
    text += prefix + "refusals_total{reason=\"" + reason + "\"} " + std::to_string(n) + "\n";
  }
  add_line(text, prefix + "cancelled_total", "counter", "Requests whose client has left.",
           static_cast<double>(n_cancelled_));
  add_line(text, prefix + "audio_seconds_total", "counter", "Audio that was transcribed.",
           audio_s_);
  add_line(text, prefix + "requests_in_flight", "gauge", "Requests at work or waiting.",
           static_cast<double>(now.n_inside));
  add_line(text, prefix + "requests_waiting", "gauge", "Requests that have not begun.",
           static_cast<double>(now.load.n_waiting));
  add_line(text, prefix + "queue_seconds", "gauge", "Audio that is read and not decoded yet.",
           now.load.waiting_s);
  add_line(text, prefix + "windows_decoding", "gauge", "Windows that are being decoded.",
           static_cast<double>(now.load.n_decoding));
  add_line(text, prefix + "decoder_steps_total", "counter", "Steps of the decoder.",
           static_cast<double>(now.load.n_steps));
  add_line(text, prefix + "windows_in_steps_total", "counter",
           "Windows at work, summed over steps: over decoder_steps_total it is their mean.",
           static_cast<double>(now.load.n_windows_in_steps));
  const double steps = static_cast<double>(now.load.n_steps * now.n_together);
  add_line(text, prefix + "batch_fill", "gauge",
           "Windows of a step by --batch-size; short recordings may bring it above 1.",
           steps > 0 ? static_cast<double>(now.load.n_windows_in_steps) / steps : 0);
  add_line(text, prefix + "connections", "gauge", "Open connections.",
           static_cast<double>(now.n_connections));
  add_line(text, prefix + "models_loaded", "gauge", "Models in memory.",
           static_cast<double>(now.n_models));
  add_line(text, prefix + "spool_bytes", "gauge", "Uploads on disk.",
           static_cast<double>(now.spool_bytes));
  describe(text, prefix + "stage_seconds", "summary", "Seconds of a request in each stage.");
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    text +=
        stages_[i].text(prefix + "stage_seconds", "stage=\"" + std::string(kStageNames[i]) + "\"");
  }
  describe(text, prefix + "rtf", "summary", "Seconds of a request over those of its audio.");
  return text + rtf_.text(prefix + "rtf", "");
}

}  // namespace wnpu::serve
