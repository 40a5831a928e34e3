#include "bench/gate/baseline.h"

#include <fstream>
#include <iterator>

#include "app/options/exit_code.h"
#include "models/base/error.h"
#include "models/base/json_file.h"

namespace wnpu::bench {

using app::UsageError;

Baseline read_baseline(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) {
    throw UsageError(path.string() +
                     ": expected a baseline, found no readable file; bench --baseline --json "
                     "makes one");
  }
  const std::string expected = path.string() + ": expected a result of bench --baseline --json";
  try {
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const nlohmann::json json = models::parse_json(text, expected);
    if (json.at("schema_version") != 1 || json.at("mode") != "baseline") {
      throw UsageError(expected + ", found one of mode " + json.at("mode").dump());
    }
    Baseline baseline{path.string(),
                      json.at("machine").at("instruction_set"),
                      json.at("program").at("build_type"),
                      json.at("options"),
                      {}};
    for (const auto& figure : json.at("figures")) {
      if (figure.at("unit") != kCalibrations) continue;
      baseline.relative_times[figure.at("name")] = figure.at("value").get<double>();
    }
    return baseline;
  } catch (const models::ModelError& error) {
    throw UsageError(error.what());
  } catch (const nlohmann::json::exception& error) {
    throw UsageError(expected + ": " + error.what());
  }
}

}  // namespace wnpu::bench
