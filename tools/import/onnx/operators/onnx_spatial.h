// Spatial parameters of convolutions and pools.
#pragma once

#include "tools/import/onnx/onnx_call.h"

#include <array>

namespace nnrt::import::onnx {

using Pair = std::array<int64_t, 2>;  // height, width

struct SpatialParams {
  Pair kernel{1, 1}, stride{1, 1}, dilation{1, 1};
  bool same = false;              // OH_NN's pad mode SAME; `pads` say nothing
  std::array<int64_t, 4> pads{};  // top, bottom, left, right

  std::array<int64_t, 2> pads_of(size_t axis) const { return {pads[2 * axis], pads[2 * axis + 1]}; }
  bool is_padded() const { return same || pads != std::array<int64_t, 4>{}; }
};

// Pictures have a height of 1 where the model's have none: rank 3 becomes 4.
Result<TensorId> as_picture(Call& call, TensorId x);
// Back to rank 3, if that is what the node has.
Result<TensorId> from_picture(Call& call, TensorId y, int64_t rank);

// The attributes of a node with an input of rank 3 or 4. `kernel` is what the attribute does not say.
Result<SpatialParams> read_spatial_params(Call& call, int64_t rank, std::optional<Pair> kernel);

// Turns auto_pad into pads for a picture of that size. SAME_UPPER of a size that is not known stays `same`.
Status resolve_padding(Call& call, SpatialParams& spatial, const nnrt::Shape& picture);

// A list of two from an attribute of one or two elements (rank 3 or 4); the height of the former is `lone`.
Result<Pair> read_pair(Call& call, std::string_view attribute, int64_t rank, int64_t fallback, int64_t lone);

}  // namespace nnrt::import::onnx
