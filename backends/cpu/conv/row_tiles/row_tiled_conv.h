// A depthwise convolution together with the pointwise convolutions around it, by tiles of rows: the tensors
// in between stay in a core's cache.
#pragma once

#include "backends/cpu/base/kernel.h"

namespace nnrt::cpu {

// Each reads the result of the one before. Outputs of all but the last are not written.
struct RowTiledConvolutions {
  const KernelArgs* expand;  // may be null
  const KernelArgs& depthwise;
  const KernelArgs* project;  // may be null
};

// Results are those of the separate kernels "fp32_gemm" and "depthwise", bit for bit.
Status convolve_row_tiles(const RowTiledConvolutions& layers);

// Returns whether a node that uses "depthwise" can be RowTiledConvolutions::depthwise.
bool is_tileable_depthwise(const NodeView& node);
// Returns whether a node that uses "fp32_gemm" can be RowTiledConvolutions::expand or project.
bool is_tileable_pointwise(const NodeView& node);

}  // namespace nnrt::cpu
