// The process: what a batch sees of it, and how it ends: messages and exit codes of what nobody
// else has caught.
#pragma once

#include <functional>
#include <string_view>

#include "app/batch/run.h"
#include "app/cli/options.h"

namespace wnpu::app {

Environment environment_of_process(const Options& options);

// work()'s exit code, or that of its error, which is told: as that recording's where it begins with
// its name.
int exit_code_after(const std::function<int()>& work, std::string_view file = "");

// For std::set_terminate: where an exception cannot be caught (thrown in a destructor,
// nlohmann/json's allocate, or in what is noexcept) the documented exit codes hold as well.
[[noreturn]] void end_uncaught() noexcept;

}  // namespace wnpu::app
