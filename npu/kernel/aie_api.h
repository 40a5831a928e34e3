// The vector API that the tile kernels are written against: AMD's on the array, ours on the host.
#pragma once

#if defined(__AIEARCH__)  // set by AMD's compilers (Peano, chess) when they compile for the array
#include <aie_api/aie.hpp>
#define WNPU_TILE_TARGET core
#else
#include "npu/kernel/aie_accum_host.h"
#include "npu/kernel/aie_api_host.h"
#include "npu/kernel/aie_mmul_host.h"
#endif
