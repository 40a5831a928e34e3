// Whether what a transcription needs is there and works.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "app/options/options.h"

namespace wnpu::app {

// `absent`: it is not there, and nobody has asked for it.
enum class CheckState { ok, absent, failed };
inline constexpr std::array<std::string_view, 3> kCheckStateNames{"ok", "absent", "failed"};

struct Check {
  std::string name;  // "NPU", "model"
  CheckState state = CheckState::ok;
  std::string found;   // one line: what is there, or why it does not do
  std::string remedy;  // what mends it, a command where one does; empty: not known
};

// Seconds of sound that the trial transcribes.
inline constexpr double kTrialSeconds = 5;

// Checks of the model and device that the options name; ends with a trial on them.
std::vector<Check> check_all(const Options& options);

bool is_well(const std::vector<Check>& checks);

std::string checks_text(const std::vector<Check>& checks);
std::string checks_json(const std::vector<Check>& checks);  // doctor.schema.json

}  // namespace wnpu::app
