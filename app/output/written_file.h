// A file that a command writes beside its results.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "app/output/result_guard.h"

namespace wnpu::app {

// Before the work. Throws OutputError where a regular file is there, without `overwrites`; with it
// where that decodes as audio or is a file of a model; and where nothing can be written to `file`.
// Throws UsageError where it is one of the inputs. An empty name: nothing will be written.
void require_free_file(const std::filesystem::path& file, bool overwrites,
                       std::span<const std::string> inputs = {},
                       Replaceable replaceable = Replaceable::results);

// After the work: the files, then the report to stdout, which is not lost where the files throw. Of
// two failures the files' is thrown.
void write_and_report(const std::function<void()>& write_files, std::string_view report);

}  // namespace wnpu::app
