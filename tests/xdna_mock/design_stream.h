// A Design as words, in the place of the instruction stream that AMD's toolchain would make of it:
// what executes the stream here needs the Design, and needs no other file for it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "npu/design.h"

namespace wnpu::tests {

std::vector<std::uint32_t> to_stream(npu::Design design);

// Throws std::runtime_error where `words` is no such stream, or is one cut short.
npu::Design from_stream(std::span<const std::uint32_t> words);

}  // namespace wnpu::tests
