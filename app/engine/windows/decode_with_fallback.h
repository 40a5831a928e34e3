// Windows that fail a test are decoded again, together, at the next temperature.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "app/engine/windows/recognizer.h"
#include "app/engine/windows/window_options.h"
#include "decoder/search/decode_options.h"

namespace wnpu::app {

// How window i is decoded at a temperature.
using MakeJob = std::function<DecodeJob(std::size_t i, double temperature)>;

struct DecodedWithFallback {
  decoder::Decoded kept;
  std::size_t n_tokens = 0;  // of all tries
};

// Decodes n_windows. Throws as Recognizer::decode().
std::vector<DecodedWithFallback> decode_with_fallback(Recognizer& recognizer,
                                                      const WindowOptions& options,
                                                      std::size_t n_windows,
                                                      const MakeJob& make_job);

}  // namespace wnpu::app
