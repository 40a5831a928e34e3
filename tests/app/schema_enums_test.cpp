// The enums of transcript.schema.json are the program's own lists: neither gains a value alone.
#include <array>
#include <map>
#include <sstream>

#include <doctest/doctest.h>

#include "app/engine/devices/backends.h"
#include "app/formats/writers.h"
#include "app/options/optimization.h"
#include "app/options/option_values.h"
#include "decoder/search/decode_options.h"
#include "models/files/model_file.h"
#include "models/kernels/vectors/instruction_set.h"
#include "models/weights/precision.h"
#include "npu/design/layer_abi.h"
#include "npu/ops/stand_in.h"
#include "npu/plans/plan.h"
#include "npu/plans/plan_file.h"
#include "npu/plans/split.h"
#include "tests/support/json_schema.h"

namespace {

using namespace wnpu;  // NOLINT
using nlohmann::json;
using tests::enum_of;

std::map<std::string, json> program_lists() {
  std::vector<std::string_view> dtypes(models::kDTypeNames.begin(), models::kDTypeNames.end());
  dtypes.push_back(models::kNoDType);
  std::vector<std::string_view> plans(npu::kPlanNames.begin(), npu::kPlanNames.end());
  plans.push_back(npu::kTunedPlanName);
  std::vector<std::string_view> asked{app::kAutoDevice};
  asked.insert(asked.end(), npu::kSplitNames.begin(), npu::kSplitNames.end());
  return {{"device/split/requested", enum_of(asked)},
          {"device/split/used", enum_of(npu::kSplitNames)},
          {"device/split/ways/split", enum_of(npu::kSplitNames)},
          {"choices/optimize_for", enum_of(app::kGoalNames, true)},
          {"task", enum_of(decoder::kTaskNames)},
          {"model/format", enum_of(models::kFileFormats, true)},
          {"model/quantization", enum_of(dtypes, true)},
          {"device/npu/plan", enum_of(plans)},
          {"device/npu/precision", enum_of(npu::kPrecisionNames)},
          {"device/npu/operators/replaces", enum_of(std::array{npu::kReplaceable})},
          {"device/npu/operators/ran_on", enum_of(app::kOperatorPlaces)},
          {"device/cpu_precision", enum_of(models::kPrecisionNames, true)},
          {"device/isa", enum_of(kernels::kInstructionSetNames, true)}};
}

}  // namespace

TEST_CASE("schema: its enums are the program's lists, and each has one") {
  CHECK(json(tests::enums_of(tests::schema_of("app/formats/transcript.schema.json"))) ==
        json(program_lists()));
}

TEST_CASE("schema: what this program can write of itself is valid") {
  const json rules = tests::schema_of("app/formats/transcript.schema.json");
  Transcript transcript;
  const auto is_valid = [&] {
    std::ostringstream out;
    app::write(app::Format::json, transcript, {}, out);
    return tests::schema_fault(rules, json::parse(out.str())).empty();
  };
  for (const std::string_view isa : kernels::kInstructionSetNames) {
    transcript.device.isa = isa;
    CHECK(is_valid());
  }
  NpuUse& use = transcript.device.npu.emplace();
  use.plan = "fused";
  use.precision = "bf16";
  CHECK(is_valid());
  for (const std::string_view place : app::kOperatorPlaces) {
    use.operators = {{"gelu", "mine", "mine.so", std::string(place), ""}};
    CHECK(is_valid());
  }
  use.operators.front().ran_on = "gpu";
  CHECK_FALSE(is_valid());
  transcript.device.npu.reset();
  transcript.device.isa = "MMX";
  CHECK_FALSE(is_valid());
}
