// FLOAT32 pools with fewer channels than lanes: each vector holds neighboring pixels.
#pragma once

#include "backends/cpu/base/activation_bounds.h"
#include "backends/cpu/base/kernel.h"
#include "core/schema/geometry.h"

namespace nnrt::cpu {

// Images [count][height][width][channels].
struct PooledImages {
  const SpatialParams& spatial;
  int64_t count, channels;
  bool is_mean;  // otherwise the maximum
  FloatBounds bounds;
};

bool suits_lines(const SpatialParams& spatial, int64_t channels);
void pool_lines(const PooledImages& images, const float* input, ThreadPool& pool, Scratch& scratch,
                float* output);

}  // namespace nnrt::cpu
