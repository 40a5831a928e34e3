#include "app/version.h"

#include <nlohmann/json.hpp>

#include "app/build_info.h"
#include "app/json_writer.h"
#include "app/model_path.h"
#include "models/byte_gemm.h"
#include "models/instruction_set.h"
#include "models/precision.h"

namespace wnpu::app {

std::string version_text(bool as_json) {
  if (!as_json) {
    return std::string("whisper-npu ") + kVersion + " (" + kGitCommit + ", " + kCompiler + ", " +
           kBuildType + ")\n";
  }
  const nlohmann::ordered_json json = {
      {"name", "whisper-npu"},
      {"version", kVersion},
      {"commit", kGitCommit},
      {"compiler", kCompiler},
      {"build_type", kBuildType},
      {"schema_version", kSchemaVersion},
      {"devices", {"cpu", "npu", "sim"}},
      {"kernels",
       {{"isa", models::instruction_set()},
        {"available", models::instruction_sets()},
        {"multiplies_bytes", models::has_byte_instructions()},
        {"auto_precision", models::precision_name(models::auto_precision())}}},
      {"model_folder", model_folder().string()}};
  return json.dump(2) + "\n";
}

}  // namespace wnpu::app
