// The enums of bench.schema.json are the program's own lists: neither gains a value alone.
#include <map>

#include <doctest/doctest.h>

#include "bench/core/figure.h"
#include "bench/core/modes.h"
#include "models/kernels/vectors/instruction_set.h"
#include "tests/support/json_schema.h"

using namespace wnpu;  // NOLINT
using nlohmann::json;
using tests::enum_of;

TEST_CASE("bench's schema: its enums are the program's lists, and each has one") {
  std::vector<std::string_view> modes;  // the options without their dashes
  for (const bench::Mode& mode : bench::modes()) {
    modes.push_back(std::string_view(mode.option).substr(2));
  }
  const std::map<std::string, json> expected = {
      {"mode", enum_of(modes)},
      {"machine/instruction_set", enum_of(kernels::kInstructionSetNames, true)},
      {"figure/kind", enum_of(bench::kOriginNames)}};
  CHECK(json(tests::enums_of(tests::schema_of("bench/bench.schema.json"))) == json(expected));
}
