// Tiled convolution kernels: tiles of pixels x output channels.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"
#include "backends/vulkan/lower/common/matmul_operands.h"
#include "backends/vulkan/lower/common/spatial_push.h"
#include "backends/vulkan/lower/common/texel_views.h"
#include "backends/vulkan/lower/common/tile_kinds.h"
#include "backends/vulkan/lower/conv/padded_input.h"
#include "backends/vulkan/lower/gemm/lower_epilogue.h"
#include "core/schema/geometry.h"

#include <string_view>
#include <vector>

namespace nnrt::vulkan {

// Sizes in elements, shared by all tile kinds.
struct Convolution {
  SpatialParams spatial;
  Size2 in{}, out{};
  uint32_t images = 0;
  uint32_t in_channels = 0, out_channels = 0;
  uint32_t groups = 1;
  uint32_t across = 1;  // input pixels that are read as one

  uint32_t group_in() const { return in_channels / groups; }
  uint32_t group_out() const { return out_channels / groups; }
  uint32_t pixels() const { return images * out[0] * out[1]; }
  uint32_t cells() const { return uint32_t(spatial.kernel[0] * spatial.kernel[1]); }
  uint32_t inner() const { return cells() * across * group_in(); }
};

struct TilePush;

class ConvolutionTiles {
 public:
  ConvolutionTiles(const LoweringContext& context, const Convolution& work, bool transposed);

  WhyNot why_not(TileKind kind) const;
  Status add(TileKind kind);

 private:
  // A range of output pixels and the part of the input that they read.
  struct Pixels {
    uint32_t first = 0, end = 0;
    TexelRange input;
  };

  bool vectors() const { return work_.group_in() % 4 == 0 && work_.group_out() % 4 == 0; }
  bool is_half() const { return vectors() && multiplies_in_fp16(context_.node, context_.plan); }
  uint64_t row_texels() const { return uint64_t(work_.in[1]) * work_.in_channels / 4; }
  uint64_t left_texels() const { return row_texels() * work_.in[0] * work_.images; }
  bool cuts_input() const { return has_views_ && vectors() && left_texels() > context_.plan.max_texels; }
  TileOperands operands() const;
  // Through shared memory. `dispatch` has everything but its grid.
  Status add_shared(TilePush push, const Epilogue& epilogue, const View& to, Dispatch dispatch);
  std::string_view shader(TileKind kind) const;
  std::vector<Pixels> cut_pixels() const;
  Pixels cut_rows(uint32_t image, uint32_t first) const;

  const LoweringContext& context_;
  const Convolution own_;
  const PaddedInput padded_;
  const Convolution work_;  // after padding of the input
  const bool transposed_;
  bool has_views_ = false;
};

}  // namespace nnrt::vulkan
