// An estimate of how long tiles take that nobody has measured. Its numbers are those of a large GPU (an
// H100); of others it says which tile is better, for what is compared grows and shrinks together.
#pragma once

#include <cstdint>

namespace nnrt::vulkan {

struct TileEstimate {
  bool is_matrix = false;          // by cooperative matrices
  uint32_t slice = 16;             // steps of the inner dimension between two barriers
  uint32_t rows = 0, columns = 0;  // rows and columns of a tile
  uint64_t tiles = 0;
  uint32_t parts = 1, part = 0;  // parts of the inner dimension, and steps of one
  uint64_t results = 0;          // elements of a part's sums
  uint32_t processors = 1;
};

// Microseconds beyond those that any dispatch takes.
double estimated_us(const TileEstimate& work);

}  // namespace nnrt::vulkan
