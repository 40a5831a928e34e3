#include "app/commands/npu/compute_report.h"

#include <nlohmann/json.hpp>

#include "app/formats/text_table.h"

namespace wnpu::app {
namespace {

using Json = nlohmann::ordered_json;

std::string ms_text(double ms) { return decimal(ms < 100 ? "%.3g ms" : "%.0f ms", ms); }

std::string cell_number(double value) { return decimal("%.3g", value); }

std::string counted(std::size_t n, const char* what) {
  std::string text = std::to_string(n) + " " + what;
  return n == 1 ? text : text + "s";
}

std::string on_cores(const TensorReport& report) {
  std::string text = " on " + report.device + ", " + counted(report.calls, "call");
  if (report.is_simulated) text += ", " + ms_text(report.modelled_ms) + " modelled";
  text += ", " + ms_text(report.wall_ms) + (report.is_simulated ? " to simulate" : " measured");
  text += ", " + std::to_string(report.memory_bytes) + " bytes of device memory";
  if (report.apart_bytes > report.memory_bytes) {
    text += " (" + std::to_string(report.apart_bytes) + " if no buffer were used twice)";
  }
  return text;
}

std::string bound_text(const TensorBound& bound) {
  std::string text = "error at most ";
  if (bound.absolute > 0) text += cell_number(bound.absolute) + " + ";
  text += cell_number(bound.relative);
  text += " x " + bound.magnitude;
  if (bound.has_half_step) text += " + half a bf16 step";
  return text + ", operands " + bound.operands;
}

}  // namespace

std::string report_text(const TensorReport& report) {
  std::string text = report.operation + ":";
  if (report.ran_on == "cpu") {
    text += " on the CPU, no NPU was used, " + ms_text(report.wall_ms) + " measured";
  } else {
    text += on_cores(report);
  }
  if (!report.reason.empty()) text += "; " + report.reason;
  return text + "; " + bound_text(report.bound);
}

std::string report_json(const TensorReport& report) {
  const bool is_on_cpu = report.ran_on == "cpu";
  const auto of_cores = [&](auto value) { return is_on_cpu ? Json() : Json(value); };
  const auto of_simulator = [&](auto value) { return report.is_simulated ? Json(value) : Json(); };
  Json json{{"operation", report.operation},
            {"ran_on", report.ran_on},
            {"reason", report.reason.empty() ? Json() : Json(report.reason)},
            {"device", of_cores(report.device)},
            {"simulated", report.is_simulated},
            {"calls", report.calls},
            {"modelled_ms", of_simulator(report.modelled_ms)},
            {"wall_ms", report.wall_ms},
            {"sent_bytes", report.sent_bytes},
            {"fetched_bytes", report.fetched_bytes},
            {"ddr_bytes", of_simulator(report.ddr_bytes)},
            {"memory_bytes", report.memory_bytes},
            {"memory_bytes_apart", report.apart_bytes},
            {"bound",
             {{"absolute", report.bound.absolute},
              {"relative", report.bound.relative},
              {"of", report.bound.magnitude},
              {"half_bf16_step", report.bound.has_half_step},
              {"operands", report.bound.operands}}}};
  return json.dump(2) + "\n";
}

}  // namespace wnpu::app
