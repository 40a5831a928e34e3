// The process: what a batch sees of it, and how it ends: messages and exit codes of what nobody
// else has caught.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <sys/types.h>

#include "app/jobs/run.h"
#include "app/options/options.h"

namespace wnpu::app {

// Puts something under 0, 1 and 2 where they are closed, before anything is opened: a file or
// socket under such a number would be read as stdin, or take what is written to stdout. Reading and
// writing them fails as before.
void fill_standard_descriptors();

Environment environment_of_process(const Options& options);

// work()'s exit code, or that of its error, which is told: as that recording's where it begins with
// its name.
int exit_code_after(const std::function<int()>& work, std::string_view file = "");

// A process that does `work`, whose exit code is its own, and dies with this one; signals reach it
// from here alone (signals.h). `in_parent` is called before one can come. Before any thread starts.
pid_t fork_worker(const std::function<int()>& work, const std::function<void(pid_t)>& in_parent);

// Text for a wait status of waitpid: "was killed by signal 11 (Segmentation fault)"
std::string cause_of_death(int status);

// For std::set_terminate: where an exception cannot be caught (thrown in a destructor,
// nlohmann/json's allocate, or in what is noexcept) the documented exit codes hold as well.
[[noreturn]] void end_uncaught() noexcept;

}  // namespace wnpu::app
