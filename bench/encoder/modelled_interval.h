// Sources of the time model's figures: one layer of Whisper base by every table of kernel speeds,
// and the provenance of each of their numbers. All modelled; nothing here was run on an NPU.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "npu/first_light/measured_table.h"
#include "npu/plans/plan_model.h"

namespace wnpu::bench {

// One fused layer of base on npu1, 1500 frames, bf16, launch included.
struct ModelledLayer {
  std::string clock;    // "phoenix-1.0"
  std::string kernels;  // "published"
  std::string_view rests_on;
  double ms = 0;
  npu::ControllerShare controller;  // of the layer
};

// Every clock with the tables that speak of a whole layer ("gemm" is for products alone), fastest
// table first; before them the layer by what was measured, if anything was. It has to outlive them.
std::vector<ModelledLayer> modelled_base_layers(const npu::MeasuredTable* measured = nullptr);

// A row for each of them, with what it assumes.
std::string interval_text(const std::vector<ModelledLayer>& layers);

// Operations of the array's controller for one of these layers, and the cost of each.
std::string controller_text(const std::vector<ModelledLayer>& layers,
                            const npu::MeasuredTable* measured = nullptr);

// Each number of each table with its provenance and source.
std::string kernel_rates_text(const npu::MeasuredTable* measured = nullptr);

}  // namespace wnpu::bench
