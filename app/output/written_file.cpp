#include "app/output/written_file.h"

#include <exception>
#include <system_error>

#include "app/options/exit_code.h"
#include "app/system/output_file.h"
#include "app/system/write_all.h"

namespace wnpu::app {

void require_free_file(const std::filesystem::path& file, bool overwrites,
                       std::span<const std::string> inputs, Replaceable replaceable) {
  if (file.empty()) return;
  std::error_code error;
  const bool is_there = !descriptor_of(file) && std::filesystem::is_regular_file(file, error);
  if (is_there && !overwrites) {
    throw OutputError(file.string() + ": is there (--overwrite replaces it)");
  }
  ResultGuard(inputs, replaceable).check(file);
}

void write_and_report(const std::function<void()>& write_files, std::string_view report) {
  try {
    write_files();
  } catch (...) {
    try {
      print_report(report);
    } catch (const std::exception&) {  // that the files are not there says more
    }
    throw;
  }
  print_report(report);
}

}  // namespace wnpu::app
