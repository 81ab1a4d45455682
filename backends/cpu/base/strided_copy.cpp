#include "backends/cpu/base/strided_copy.h"

namespace nnrt::cpu {

std::optional<size_t> crossing_dimension(const CopyRegion& region) {
  constexpr int64_t kShort = 8;  // shorter runs don't fill a cache line and use the plain walk
  const size_t last = region.shape.size() - 1;
  if (region.shape[last] < kShort || region.from_strides[last] <= 1) return std::nullopt;
  for (size_t d = 0; d < last; ++d) {
    if (region.from_strides[d] == 1 && region.shape[d] >= kShort) return d;
  }
  return std::nullopt;
}

}  // namespace nnrt::cpu
