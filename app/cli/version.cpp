#include "app/cli/version.h"

#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/engine/devices/backends.h"
#include "app/engine/model_path.h"
#include "app/formats/json_writer.h"
#include "app/system/build_info.h"
#include "models/kernels/vectors/instruction_set.h"
#include "models/weights/precision.h"

namespace wnpu::app {

std::string version_text(bool as_json) {
  if (!as_json) {
    return std::string("whisper-npu ") + kVersion + " (" + kGitCommit + ", " + kCompiler + ", " +
           kBuildType + ")\n";
  }
  std::vector<std::string_view> available;
  for (const auto set : kernels::instruction_sets())
    available.push_back(kernels::instruction_set_name(set));
  const nlohmann::ordered_json json = {
      {"name", "whisper-npu"},
      {"version", kVersion},
      {"commit", kGitCommit},
      {"compiler", kCompiler},
      {"build_type", kBuildType},
      {"schema_version", kSchemaVersion},
      {"devices", backend_names()},
      {"kernels",
       {{"isa", kernels::instruction_set_name()},
        {"available", available},
        {"multiplies_bytes", kernels::has_byte_instructions()},
        {"auto_precision", models::precision_name(models::auto_precision())}}},
      {"model_folder", model_folder().string()}};
  return json.dump(2) + "\n";
}

}  // namespace wnpu::app
