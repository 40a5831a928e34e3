// Results of rows, as --resume reads them again.
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "app/jobs/manifest/summary.h"
#include "app/jobs/rows/row.h"
#include "tests/fuzz/input_folder.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wnpu::app;
  using nlohmann::ordered_json;
  LineSplitter lines(kLongestLine);
  Summary summary;
  const auto take = [&summary](const Line& line) {
    const ordered_json result = ordered_json::parse(with_finite_numbers(line.text), nullptr, false);
    try {
      const bool has_id = !result.at("id").is_null();
      const std::string id = id_of_object(line.text);
      if (has_id == (id == "null")) __builtin_trap();
      std::optional<std::string> text;
      if (result.contains("text") && result["text"].is_string()) text = result["text"];
      summary.add(result, text);
    } catch (const ordered_json::exception&) {
    }
  };
  const std::string text =
      wnpu::fuzz::written_out(wnpu::fuzz::as_text(data, size), wnpu::fuzz::kTextBytes);
  lines.add(text, take);
  lines.end(take);
  if (!ordered_json::accept(summary_json(summary))) __builtin_trap();
  return 0;
}
