// Report of `whisper-npu config`.
#pragma once

#include <string>
#include <vector>

#include "app/options/settings.h"

namespace wnpu::app {

struct ConfigReport {
  ConfigPlace place;
  const CLI::App* usual = nullptr;
  std::vector<Setting> of_file;
  std::vector<Setting> of_environment;
};

// The options of `usual` with their values, as a configuration file that gives them: defaults, and
// those without a value, as comments; then what the file says of other commands. `with_origin`: a
// comment behind each says where it comes from.
std::string config_text(const ConfigReport& report, bool with_origin);
// Report as JSON (config.schema.json), always with the origins; ends with a newline.
std::string config_json(const ConfigReport& report);

}  // namespace wnpu::app
