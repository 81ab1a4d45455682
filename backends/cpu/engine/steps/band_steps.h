// Depthwise convolutions by bands of rows (conv/bands/banded_conv.h), where the tensors between the
// convolutions do not fit in a core's cache.
#pragma once

#include "backends/cpu/engine/cpu_program.h"

namespace nnrt::cpu {

// In NNRT_CPU_KERNELS and in kernel reports. Forced, it ignores sizes.
inline constexpr const char* kBands = "bands";

// Sets Step::bands of the last convolution of such a group, and Step::folded of those before it. Results
// don't change.
void find_band_steps(Program& program, ThreadPool& pool);

}  // namespace nnrt::cpu
