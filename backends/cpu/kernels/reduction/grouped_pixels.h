// Normalization over groups of adjacent channels, in channels-last layout.
#pragma once

#include "backends/cpu/base/thread_pool.h"

#include <cstdint>

namespace nnrt::cpu {

struct GroupedPixels {
  int64_t pixels, groups, width;  // width: channels per group
  double epsilon;
};

struct GroupNormOperands {
  const float *x, *scale, *shift;
  float* y;
};

void normalize_groups(const GroupedPixels& shape, int64_t batch, const GroupNormOperands& operands,
                      ThreadPool& pool);

}  // namespace nnrt::cpu
