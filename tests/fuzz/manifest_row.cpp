// Rows of a manifest.
#include <nlohmann/json.hpp>

#include "app/jobs/rows/row.h"
#include "app/jobs/rows/row_fields.h"
#include "tests/fuzz/input_folder.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wnpu::app;
  RowReader reader("/data");
  LineSplitter lines(kLongestLine);
  const auto take = [&reader](const Line& line) {
    const auto row = reader.read(line);
    if (!row) return;
    if (row->fault.empty() && (row->path.empty() || row->id == "null")) __builtin_trap();
    const std::string result = result_line(*row, {{"status", "ok"}});
    const auto json = nlohmann::json::parse(with_finite_numbers(result), nullptr, false);
    // Each column of the row that is no result's, once.
    if (json.is_discarded() || json.size() != columns_of(result).size()) __builtin_trap();
  };
  lines.add(wnpu::fuzz::as_text(data, size), take);
  lines.end(take);
  return 0;
}
