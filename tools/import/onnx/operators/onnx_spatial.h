// Spatial parameters of convolutions and pools.
#pragma once

#include "tools/import/onnx/onnx_call.h"

#include <array>

namespace nnrt::import::onnx {

using Pair = std::array<int64_t, 2>;  // height, width

struct SpatialParams {
  Pair kernel{1, 1}, stride{1, 1}, dilation{1, 1};
  bool same = false;              // OH_NN's pad mode SAME; `pads` is unused
  std::array<int64_t, 4> pads{};  // top, bottom, left, right

  std::array<int64_t, 2> pads_of(size_t axis) const { return {pads[2 * axis], pads[2 * axis + 1]}; }
  AttrSetting padding() const { return same ? AttrSetting(Attr::pad_mode, 0) : AttrSetting(Attr::pad, pads); }
  bool is_padded() const { return same || pads != std::array<int64_t, 4>{}; }
};

// Adds a height of 1 to rank-3 inputs.
TensorId as_image(Call& call, TensorId x);
// Back to rank 3 if the node has that.
TensorId from_image(Call& call, TensorId y, int64_t rank);

// Attributes of a node with a rank-3 or rank-4 input. `kernel` is the default.
SpatialParams read_spatial_params(Call& call, int64_t rank, std::optional<Pair> kernel);

// Converts auto_pad to pads for an image of that size. SAME_UPPER of an unknown size stays `same`.
void resolve_padding(Call& call, SpatialParams& spatial, const Dims& image);

// A pair from an attribute with one or two elements (rank 3 or 4); with one, the height is `lone`.
Pair read_pair(Call& call, std::string_view attribute, int64_t rank, int64_t fallback, int64_t lone);

}  // namespace nnrt::import::onnx
