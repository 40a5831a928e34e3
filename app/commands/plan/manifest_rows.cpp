#include "app/commands/plan/manifest_rows.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <functional>

#include "app/jobs/rows/row.h"
#include "app/options/exit_code.h"
#include "models/base/descriptor.h"

namespace wnpu::app {
namespace {

void read_file(const std::filesystem::path& manifest,
               const std::function<void(const Row&, const Line&)>& take) {
  const models::Descriptor file(::open(manifest.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) throw UsageError(manifest.string() + ": open: " + std::strerror(errno));
  RowReader reader(manifest.parent_path());
  read_rows(file.get(), manifest.string(), reader, take);
}

}  // namespace

ManifestRows read_manifest(const std::filesystem::path& manifest) {
  ManifestRows rows;
  read_file(manifest, [&](const Row& row, const Line& line) {
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
  read_file(manifest, [&](const Row& row, const Line& line) {
    if (!row.fault.empty()) return;
    if (lines.size() < rows.size() && rows[lines.size()] == n_rows) lines.emplace_back(line.text);
    ++n_rows;
  });
  return lines;
}

}  // namespace wnpu::app
