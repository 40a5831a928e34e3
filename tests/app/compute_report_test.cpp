// Reports of computation, as a line and as JSON: they mark what is simulated, and name no device
// for work that the CPU did.
#include "app/commands/npu/compute_report.h"

#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/support/random_matrix.h"
#include "tests/support/text.h"

using namespace wnpu;  // NOLINT
using namespace wnpu::app;
using wnpu::tests::has;

namespace {

TensorReport report_of(std::size_t width) {
  TensorDevice device("sim");
  return device.softmax({{3, width}, tests::random_vector(3 * width, 1, 1)}).result().report;
}

}  // namespace

TEST_CASE("tensor report: what cores did is called simulated, its time modelled") {
  const TensorReport report = report_of(10);
  const std::string text = report_text(report);
  CHECK(text.starts_with("softmax [3, 10]: on simulated "));
  CHECK(has(text, "1 call, "));
  CHECK(has(text, " ms modelled, "));
  CHECK(has(text, " ms to simulate, "));
  CHECK(has(text, std::to_string(report.memory_bytes) + " bytes of device memory"));
  CHECK(has(text, "made of attention"));
  CHECK(has(text, "error at most "));
  CHECK(has(text, report.bound.magnitude + " + half a bf16 step, operands as bf16"));
  const auto found = nlohmann::json::parse(report_json(report));
  CHECK(found["ran_on"] == "core");
  CHECK(found["simulated"] == true);
  CHECK(found["calls"] == report.calls);
  CHECK(found["modelled_ms"] == report.modelled_ms);
  CHECK(found["ddr_bytes"] == report.ddr_bytes);
  CHECK(found["memory_bytes"] == report.memory_bytes);
  CHECK(found["bound"]["relative"] == report.bound.relative);
}

TEST_CASE("tensor report: what the CPU did has nothing of the device") {
  const TensorReport report = report_of(100);
  const std::string text = report_text(report);
  CHECK(text.starts_with("softmax [3, 100]: on the CPU, no NPU was used, "));
  CHECK_FALSE(has(text, "modelled"));
  CHECK_FALSE(has(text, "device memory"));
  const auto found = nlohmann::json::parse(report_json(report));
  CHECK(found["ran_on"] == "cpu");
  CHECK(found["simulated"] == false);
  CHECK(found["device"].is_null());
  CHECK(found["modelled_ms"].is_null());
  CHECK(found["ddr_bytes"].is_null());
  CHECK(found["calls"] == 0);
}

TEST_CASE("tensor report: on hardware time is measured and nothing is modelled") {
  TensorReport report = report_of(10);
  report.is_simulated = false;
  report.device = "RyzenAI-npu1";
  CHECK_FALSE(has(report_text(report), "modelled"));
  CHECK(has(report_text(report), " ms measured"));
  CHECK(nlohmann::json::parse(report_json(report))["modelled_ms"].is_null());
}
