#include "app/engine/windows/kept_windows.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "models/kernels/vectors/half_floats.h"

namespace wnpu::app {
namespace {

constexpr float kMostOfHalf = 65504;

bool fit_into_halves(std::span<const float> values) {
  return std::ranges::all_of(values, [](float value) { return std::fabs(value) <= kMostOfHalf; });
}

}  // namespace

void KeptWindows::keep(std::size_t seek, std::size_t size, const models::EncoderStates& states) {
  Window& window = windows_[seek];
  drop_states(window);
  window.size = size;
  const std::size_t n_bytes = states.values.size() * sizeof(window.states.front());
  if (n_bytes > room_ || !fit_into_halves(states.values.flat())) return;
  room_ -= n_bytes;
  window.rows = states.values.rows();
  window.pooled = states.pooled;
  window.states.resize(states.values.size());
  kernels::narrow_f16(states.values.flat(), window.states);
}

bool KeptWindows::take(std::size_t seek, models::EncoderStates& states) {
  const auto found = windows_.find(seek);
  if (found == windows_.end() || found->second.rows == 0) return false;
  Window& window = found->second;
  const std::size_t cols = window.states.size() / window.rows;
  if (states.values.rows() != window.rows || states.values.cols() != cols)
    states.values = models::Matrix::uninitialised(window.rows, cols);
  kernels::widen_f16(std::as_bytes(std::span(window.states)), states.values.flat());
  states.pooled = window.pooled;
  drop_states(window);
  return true;
}

void KeptWindows::drop_states(Window& window) {
  room_ += window.states.size() * sizeof(window.states.front());
  window.states = {};
  window.rows = 0;
}

}  // namespace wnpu::app
