#include "app/commands/plan/manifest_rows.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>

#include "app/jobs/rows/line_splitter.h"
#include "app/jobs/rows/row.h"
#include "app/options/exit_code.h"
#include "models/base/utf8.h"

namespace wnpu::app {
namespace {

using TakeRow = std::function<void(const Row&, const Line&)>;

void read_rows(const std::filesystem::path& manifest, const TakeRow& take_row) {
  std::ifstream file(manifest, std::ios::binary);
  if (!file) throw UsageError(manifest.string() + ": open: " + std::strerror(errno));
  RowReader reader(manifest.parent_path());
  LineSplitter lines(kLongestLine);
  const auto take = [&](const Line& line) {
    if (line.number == 1 && models::is_utf16(line.text))
      throw UsageError(manifest.string() + ": " + models::kWantsUtf8);
    if (const auto row = reader.read(line)) take_row(*row, line);
  };
  std::array<char, 1U << 16U> bytes;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  while (file.read(bytes.data(), bytes.size()), file.gcount() > 0) {
    lines.add({bytes.data(), static_cast<std::size_t>(file.gcount())}, take);
  }
  if (file.bad()) throw UsageError(manifest.string() + ": read: " + std::strerror(errno));
  lines.end(take);
}

}  // namespace

ManifestRows read_manifest(const std::filesystem::path& manifest) {
  ManifestRows rows;
  read_rows(manifest, [&](const Row& row, const Line& line) {
    if (!row.fault.empty()) {
      if (rows.bad_lines.empty()) rows.first_fault = row.fault;
      rows.bad_lines.push_back(line.number);
      return;
    }
    if (!row.duration_s) {
      throw UsageError(manifest.string() + ": line " + std::to_string(line.number) +
                       ": expected a duration, by which a plan tells rows apart, found none");
    }
    rows.durations_s.push_back(*row.duration_s);
  });
  if (rows.durations_s.empty()) {
    throw UsageError(manifest.string() + ": expected rows, found none" +
                     (rows.first_fault.empty() ? "" : " that can be read: " + rows.first_fault));
  }
  return rows;
}

std::vector<std::string> lines_of_rows(const std::filesystem::path& manifest,
                                       std::span<const std::size_t> rows) {
  std::vector<std::string> lines;
  std::size_t n_rows = 0;
  read_rows(manifest, [&](const Row& row, const Line& line) {
    if (!row.fault.empty()) return;
    if (lines.size() < rows.size() && rows[lines.size()] == n_rows) lines.emplace_back(line.text);
    ++n_rows;
  });
  return lines;
}

}  // namespace wnpu::app
