#include "npu/first_light/measured_table.h"

#include <cmath>
#include <stdexcept>
#include <utility>

#include <nlohmann/json.hpp>

#include "npu/first_light/table_fields.h"

namespace wnpu::npu {
namespace {

using TableJson = nlohmann::json;

constexpr int kMostTableLevels = 16;  // levels of a document

// Reads the parts of one document.
class TableReader {
 public:
  TableReader(std::string name, MeasuredTable& table) : name_(std::move(name)), table_(table) {}

  void read(const TableJson& document) {
    if (!document.is_object() || document.value("document", "") != kFirstLightDocument) {
      fail("document", std::string(kFirstLightDocument), "something else");
    }
    if (document.at("schema_version") != kFirstLightSchema) {
      fail("schema_version", std::to_string(kFirstLightSchema),
           document.at("schema_version").dump());
    }
    const TableJson& table = document.at("kernel_table");
    if (table.is_null()) fail("kernel_table", "a table", "null: it was not measured");
    for (const TimeField& field : kTimeFields) {
      table_.preset.*field.value = number(table, std::string(field.name), true);
    }
    for (const RateField& field : kRateFields) {
      const bool may_be_zero = field.rate == &KernelTable::softmax_cycles;
      table_.preset.kernels.*field.rate =
          rate(table.at("rates"), std::string(field.name), !may_be_zero);
    }
    for (const CostField& field : kCostFields) {
      (*table_.costs).*field.rate = rate(table.at("controller"), std::string(field.name), false);
    }
  }

 private:
  [[noreturn]] void fail(const std::string& where, const std::string& expected,
                         const std::string& found) const {
    throw std::invalid_argument(name_ + ": " + where + ": expected " + expected + ", found " +
                                found);
  }

  double number(const TableJson& parent, const std::string& key, bool is_positive) const {
    const TableJson& value = parent.at(key);
    const bool is_good = value.is_number() && std::isfinite(value.get<double>()) &&
                         value.get<double>() >= 0 && value.get<double>() < kMost &&
                         (!is_positive || value.get<double>() > kLeast);
    if (!is_good) fail(key, is_positive ? "a number above 0" : "a number from 0", value.dump());
    return value.get<double>();
  }

  Rate rate(const TableJson& parent, const std::string& key, bool is_positive) {
    const TableJson& entry = parent.at(key);
    const auto provenance = entry.at("provenance").get<std::string>();
    for (const Provenance known :
         {Provenance::measured, Provenance::counted, Provenance::assumed, Provenance::simulated}) {
      if (provenance != provenance_name(known)) continue;
      return {number(entry, "value", is_positive), known,
              table_.keep(entry.at("source").get<std::string>())};
    }
    fail(key, "measured, counted, assumed or simulated", provenance);
  }

  // Bounds of every number here, so that no time becomes infinite, or a simulation endless.
  static constexpr double kLeast = 1e-6;
  static constexpr double kMost = 1e9;

  std::string name_;
  MeasuredTable& table_;
};

}  // namespace

MeasuredTable::MeasuredTable() : costs(std::make_unique<ControllerCosts>(phoenix_controller())) {}

MeasuredTable empty_table(const Target& target, const std::string& machine, bool is_simulated) {
  MeasuredTable table;
  table.machine = machine;
  table.is_simulated = is_simulated;
  table.preset = find_preset(usual_preset(target));
  table.preset.name = is_simulated ? "simulated first light" : "measured on " + machine;
  table.preset.controller = table.costs.get();
  table.costs->name = "first light";
  table.preset.kernels.name = "first light";
  table.preset.kernels.rests_on =
      table.keep(is_simulated ? "the simulator, which gives back what it was given"
                              : "first light on " + machine + "; what it left open is published's");
  return table;
}

MeasuredTable parse_measured_table(const std::string& text, const std::string& name) {
  try {
    // Messages print values, by a function that calls itself for each level.
    const auto watch = [&](int depth, TableJson::parse_event_t /*event*/, const TableJson&) {
      if (depth <= kMostTableLevels) return true;
      throw std::invalid_argument(name + ": expected at most " + std::to_string(kMostTableLevels) +
                                  " levels of nesting, found more");
    };
    const TableJson document = TableJson::parse(text, watch);
    const TableJson& machine = document.at("machine");
    // Documents from before there was another have no target.
    const auto target_name = document.at("layer").value("target", std::string(npu1().name));
    const Target* const target = find_target(target_name);
    if (target == nullptr) {
      throw std::invalid_argument(name + ": target: expected npu1 or npu4, found " + target_name);
    }
    MeasuredTable table = empty_table(*target, machine.at("product").get<std::string>(),
                                      machine.at("simulated").get<bool>());
    TableReader(name, table).read(document);
    return table;
  } catch (const TableJson::exception& error) {
    throw std::invalid_argument(name + ": expected first light's JSON, found: " + error.what());
  }
}

}  // namespace wnpu::npu
