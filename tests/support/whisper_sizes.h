// The encoders of the released Whisper models (openai/whisper model dims).
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "npu/plans/plan_model.h"

namespace wnpu::tests {

inline constexpr npu::EncoderShape kTiny{384, 6, 1536, 4};
inline constexpr npu::EncoderShape kBase{512, 8, 2048, 6};
inline constexpr npu::EncoderShape kSmall{768, 12, 3072, 12};
inline constexpr npu::EncoderShape kMedium{1024, 16, 4096, 24};
inline constexpr npu::EncoderShape kLarge{1280, 20, 5120, 32};

inline constexpr std::array<std::pair<std::string_view, npu::EncoderShape>, 6> kWhisperSizes{
    {{"tiny", kTiny},
     {"base", kBase},
     {"small", kSmall},
     {"medium", kMedium},
     {"large-v3", kLarge},
     {"large-v3-turbo", kLarge}}};

}  // namespace wnpu::tests
