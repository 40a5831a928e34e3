#include "app/serve/metrics.h"

#include <string>

#include <doctest/doctest.h>

#include "app/serve/admission.h"

using namespace wnpu;
using namespace wnpu::serve;

namespace {

bool has_line(const std::string& text, const std::string& line) {
  return text.find("\n" + line + "\n") != std::string::npos;
}

unsigned status_of_check(const Admission& admission, const ServiceLoad& load) {
  try {
    admission.check(load);
  } catch (const ApiError& error) {
    CHECK(error.retry_after_s.value_or(0) >= 1);
    return error.status;
  }
  return 200;
}

}  // namespace

TEST_CASE("metrics: counts, gauges, and quantiles of the last values") {
  Metrics metrics;
  metrics.count_answer("/health", 200);
  metrics.count_answer("/health", 200);
  metrics.count_refusal(ApiError(429, "busy", "", "overloaded"));
  metrics.count_refusal(ApiError(411, "no length"));
  for (int i = 1; i <= 100; ++i) metrics.add_stage(Stage::wait, i);
  Transcript transcript;
  transcript.input.duration = 10;
  transcript.timing.decode = 2;
  metrics.add_transcript(transcript, 5);
  const std::string text = metrics.text(
      {.load = {.n_steps = 10, .n_windows_in_steps = 40}, .n_inside = 3, .n_together = 8});
  CHECK(has_line(text, R"(whisper_npu_http_requests_total{path="/health",status="200"} 2)"));
  CHECK(has_line(text, R"(whisper_npu_refusals_total{reason="overloaded"} 1)"));
  CHECK(has_line(text, R"(whisper_npu_refusals_total{reason="411"} 1)"));
  CHECK(has_line(text, R"(whisper_npu_stage_seconds{stage="wait",quantile="0.5"} 50)"));
  CHECK(has_line(text, R"(whisper_npu_stage_seconds{stage="wait",quantile="0.95"} 95)"));
  CHECK(has_line(text, R"(whisper_npu_stage_seconds_count{stage="wait"} 100)"));
  CHECK(has_line(text, R"(whisper_npu_stage_seconds_sum{stage="decode"} 2)"));
  CHECK(has_line(text, R"(whisper_npu_stage_seconds{stage="receive",quantile="0.5"} NaN)"));
  CHECK(has_line(text, R"(whisper_npu_rtf{quantile="0.5"} 0.5)"));
  CHECK(has_line(text, "whisper_npu_batch_fill 0.5"));
  CHECK(has_line(text, "whisper_npu_requests_in_flight 3"));
  wnpu::serve::Summary summary;
  for (int i = 0; i < 5000; ++i) summary.add(i < 3000 ? 1 : 2);
  CHECK(summary.text("a", "").find("a{quantile=\"0.5\"} 2\n") != std::string::npos);
}

TEST_CASE("admission: so many at once, so much audio that waits") {
  Limits limits;
  limits.requests = 2;
  limits.queue_s = 100;
  Admission admission(limits);
  CHECK(status_of_check(admission, {}) == 200);
  auto first = admission.enter();
  const auto second = admission.enter();
  CHECK(admission.n_inside() == 2);
  CHECK(status_of_check(admission, {}) == 429);
  first.reset();
  CHECK(status_of_check(admission, {}) == 200);
  CHECK(status_of_check(admission, {.waiting_s = 100}) == 429);
  CHECK(status_of_check(admission, {.waiting_s = 99}) == 200);
}
