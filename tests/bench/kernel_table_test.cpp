// --kernel-table: first light's file beside the model's tables.
#include "app/options/kernels/kernel_table.h"

#include <fstream>
#include <string>

#include <doctest/doctest.h>

#include "app/options/exit_code.h"
#include "bench/encoder/modelled_interval.h"
#include "npu/first_light/result.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/text.h"

using namespace wnpu;         // NOLINT
using namespace wnpu::bench;  // NOLINT

namespace {

// The published table's numbers at 1 GHz as if a box had been measured, but for softmax.
npu::FirstLight first_light_on_a_box(double softmax_cycles) {
  npu::FirstLight result;
  result.machine.product = "a box";
  result.table = npu::empty_table(npu::npu1(), "a box", false);
  result.table->preset.kernels.softmax_cycles = {softmax_cycles, npu::Provenance::measured,
                                                 "first light on a box: a step"};
  return result;
}

std::string table_refusal(const std::filesystem::path& file) {
  return wnpu::tests::message_of<app::UsageError>([&] { app::read_measured_table(file); });
}

}  // namespace

TEST_CASE("kernel_table: a layer is modelled by it, and its numbers stand with their source") {
  const tests::TemporaryFolder folder;
  const auto file = folder.path() / "light.json";
  const std::vector<ModelledLayer> known = modelled_base_layers();
  const double published = npu::find_preset(npu::kDefaultPreset).kernels.softmax_cycles.value;
  const auto modelled_ms = [&](double softmax) {
    std::ofstream(file) << npu::first_light_json(first_light_on_a_box(softmax), "");
    const auto table = app::read_measured_table(file);
    REQUIRE(table);
    const std::vector<ModelledLayer> layers = modelled_base_layers(&*table);
    CHECK(layers.front().clock == "measured on a box");
    CHECK(layers.size() == known.size() + 1);
    const std::string text = interval_text(layers);
    CHECK(text.find("measured on a box") < text.find("phoenix-1.0"));
    CHECK(kernel_rates_text(&*table).find("first light on a box: a step") != std::string::npos);
    CHECK(controller_text(layers, &*table).find("first light") != std::string::npos);
    return layers.front().ms;
  };
  double model = 0;
  for (const ModelledLayer& layer : known) {
    if (layer.clock == "phoenix-1.0" && layer.kernels == "published") model = layer.ms;
  }
  CHECK(modelled_ms(published) == doctest::Approx(model));
  CHECK(modelled_ms(2 * published) > 1.2 * model);
  CHECK(kernel_rates_text().find("first light") == std::string::npos);
}

TEST_CASE("kernel_table: no file is no table, and what is none is refused by its path") {
  CHECK(!app::read_measured_table(""));
  const tests::TemporaryFolder folder;
  CHECK(table_refusal(folder.path() / "none.json")
            .find("none.json: expected a result of npu first-light") != std::string::npos);
  CHECK(table_refusal(folder.path()).find("found no readable file") != std::string::npos);
  const auto file = folder.path() / "other.json";
  std::ofstream(file) << "{\"mode\": \"rtf\"}";
  CHECK(table_refusal(file).find("other.json: expected first light's JSON") != std::string::npos);
}
