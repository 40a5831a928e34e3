// Nodes of a session's graph by the provider that runs them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "encoder/ort/ort_encoder.h"
#include "encoder/ort/ort_library.h"

namespace wnpu::encoder {

// The target's own provider first, by the target's name where it has no nodes. Throws
// npu::DeviceError.
std::vector<OrtPlacement> placement_of(const OrtLibrary& library, const OrtSession* session,
                                       const OrtTarget& target);

// Throws npu::DeviceError where another provider than the target's has nodes.
void refuse_other_providers(const std::vector<OrtPlacement>& placement, const OrtTarget& target);

// Placement as a file: what a compiled graph no longer tells. None where it cannot be read.
std::optional<std::vector<OrtPlacement>> read_placement(const std::filesystem::path& file);
bool write_placement(const std::filesystem::path& file, const std::vector<OrtPlacement>& placement);

}  // namespace wnpu::encoder
