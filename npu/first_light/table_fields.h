// The names that first light's JSON has for the numbers of a table.
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
};
inline constexpr RateField kRateFields[] = {
    {"bf16_mac_per_cycle", &KernelTable::bf16_mac_per_cycle},
    {"int8_mac_per_cycle", &KernelTable::int8_mac_per_cycle},
    {"attention_mac_per_cycle", &KernelTable::attention_mac_per_cycle},
    {"softmax_cycles", &KernelTable::softmax_cycles},
    {"layer_norm_cycles", &KernelTable::layer_norm_cycles},
    {"gelu_cycles", &KernelTable::gelu_cycles},
    {"epilogue_cycles", &KernelTable::epilogue_cycles},
    {"quantise_cycles", &KernelTable::quantise_cycles},
    {"dequantise_cycles", &KernelTable::dequantise_cycles},
    {"call_cycles", &KernelTable::call_cycles}};

struct CostField {
  std::string_view name;
  Rate ControllerCosts::*rate;
};
inline constexpr CostField kCostFields[] = {{"write", &ControllerCosts::write},
                                            {"masked_write", &ControllerCosts::masked_write},
                                            {"block_word", &ControllerCosts::block_word},
                                            {"push", &ControllerCosts::push},
                                            {"token", &ControllerCosts::token}};

}  // namespace wnpu::npu
