// Padding and strides of 2-D kernels.
#pragma once

#include "nnapi/lower/operation_lowering.h"

#include <array>

namespace nnrt::nnapi {

struct Padding {
  int64_t before = 0, after = 0;
};

struct SpatialKernel {
  std::array<int64_t, 2> size{1, 1}, stride{1, 1}, dilation{1, 1};  // height, width
  std::array<Padding, 2> padding{};
  bool same = false;  // the core's mode SAME instead

  // The core's parameters: strides, and padding at top, bottom, left, right.
  Settings settings() const;
};

// Reads a code, SAME or VALID, from input i.
void read_padding_code(Lowering& op, SpatialKernel& kernel, size_t i);

// Reads left, right, top and bottom from input `first` on.
void read_padding(Lowering& op, SpatialKernel& kernel, size_t first);

// Reads the stride of the width, then that of the height.
void read_strides(Lowering& op, SpatialKernel& kernel, size_t first);

}  // namespace nnrt::nnapi
