// The parts of check() that look at transfers: what a descriptor holds, where its bytes and locks
// are, and how many descriptors a channel needs.
#pragma once

#include "npu/design/design.h"
#include "npu/sim/check_problems.h"

namespace wnpu::npu {

void check_transfers(const Design& design, Problems& problems);
// Only for transfers that check_transfers() found nothing wrong with.
void check_descriptors(const Design& design, Problems& problems);

}  // namespace wnpu::npu
