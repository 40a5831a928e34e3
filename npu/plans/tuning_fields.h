// The fields of LayerTuning with their names, as files and reports have them.
#pragma once

#include <array>

#include "npu/design/layer_tuning.h"

namespace wnpu::npu {

struct TuningSize {
  const char* name;
  std::size_t LayerTuning::*field;
};
inline constexpr std::array kTuningSizes{
    TuningSize{"state_tile", &LayerTuning::state_tile},
    TuningSize{"qkv_tile", &LayerTuning::qkv_tile},
    TuningSize{"norm_rows", &LayerTuning::norm_rows},
    TuningSize{"a_slots", &LayerTuning::a_slots},
    TuningSize{"b_slots", &LayerTuning::b_slots},
    TuningSize{"state_panels", &LayerTuning::state_panels},
    TuningSize{"qkv_row_blocks", &LayerTuning::qkv_row_blocks}};
struct TuningFlag {
  const char* name;
  bool LayerTuning::*field;
};
inline constexpr std::array kTuningFlags{
    TuningFlag{"keeps_hidden", &LayerTuning::keeps_hidden},
    TuningFlag{"attends_padding", &LayerTuning::attends_padding},
    TuningFlag{"broadcasts_keys", &LayerTuning::broadcasts_keys}};

}  // namespace wnpu::npu
