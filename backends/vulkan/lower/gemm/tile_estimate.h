// Estimates the time of tiles that nobody has measured. The numbers come from a large GPU (H100); on others
// only the comparison between tiles is meaningful, as the times scale together.
#pragma once

#include <cstdint>

namespace nnrt::vulkan {

struct TileEstimate {
  bool is_matrix = false;          // cooperative matrices
  uint32_t slice = 16;             // K elements between two barriers
  uint32_t rows = 0, columns = 0;  // of a tile
  uint64_t tiles = 0;
  uint32_t splits = 1, split_length = 0;  // split-K factor, and K elements per split
  uint64_t results = 0;                   // number of results; each split has as many partial sums
  uint32_t cores = 1;
};

// Microseconds, without the fixed cost of a dispatch.
double estimated_us(const TileEstimate& work);

}  // namespace nnrt::vulkan
