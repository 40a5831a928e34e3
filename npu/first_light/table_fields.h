// Numbers of a table by the names that first light's JSON has for them, and in words.
#pragma once

#include <string_view>

#include "npu/control/controller_costs.h"
#include "npu/design/target.h"

namespace wnpu::npu {

inline constexpr std::string_view kFirstLightDocument = "whisper-npu first light";
inline constexpr int kFirstLightSchema = 1;

struct TimeField {
  std::string_view name;
  double HardwareModel::*value;
};
inline constexpr TimeField kTimeFields[] = {
    {"clock_ghz", &HardwareModel::clock_ghz},
    {"ddr_read_gb_per_s", &HardwareModel::ddr_read_gb_per_s},
    {"ddr_write_gb_per_s", &HardwareModel::ddr_write_gb_per_s},
    {"ddr_latency_ns", &HardwareModel::ddr_latency_ns},
    {"launch_us", &HardwareModel::launch_us},
    {"list_launch_us", &HardwareModel::list_launch_us}};

struct RateField {
  std::string_view name;
  Rate KernelTable::*rate;
  const char* text;
};
inline constexpr RateField kRateFields[] = {
    {"bf16_mac_per_cycle", &KernelTable::bf16_mac_per_cycle, "bf16 product, MAC a cycle"},
    {"int8_mac_per_cycle", &KernelTable::int8_mac_per_cycle, "int8 product, MAC a cycle"},
    {"attention_mac_per_cycle", &KernelTable::attention_mac_per_cycle, "attention, MAC a cycle"},
    {"softmax_cycles", &KernelTable::softmax_cycles, "softmax, cycles a score"},
    {"layer_norm_cycles", &KernelTable::layer_norm_cycles, "LayerNorm, cycles an element"},
    {"gelu_cycles", &KernelTable::gelu_cycles, "GELU, cycles an element"},
    {"epilogue_cycles", &KernelTable::epilogue_cycles, "epilogue, cycles an element"},
    {"quantise_cycles", &KernelTable::quantise_cycles, "quantise, cycles an element"},
    {"dequantise_cycles", &KernelTable::dequantise_cycles, "dequantise, cycles an element"},
    {"call_cycles", &KernelTable::call_cycles, "a call, cycles"}};

struct CostField {
  std::string_view name;
  Rate ControllerCosts::*rate;
  const char* text;
};
inline constexpr CostField kCostFields[] = {
    {"write", &ControllerCosts::write, "a register"},
    {"masked_write", &ControllerCosts::masked_write, "a masked register"},
    {"block_word", &ControllerCosts::block_word, "a word of a block"},
    {"push", &ControllerCosts::push, "a task, beside its register"},
    {"token", &ControllerCosts::token, "a token's way"}};

}  // namespace wnpu::npu
