// Spatial parameters of kernels over one to three dimensions.
#pragma once

#include "tools/import/onnx/onnx_call.h"

namespace nnrt::import::onnx {

// One value per spatial dimension; two for pads, before and after.
struct SpatialParams {
  List<int64_t> kernel, stride, dilation, pads;
  bool same = false;  // OH_NN's pad mode SAME; `pads` is unused

  AttrSetting padding() const { return same ? AttrSetting(Attr::pad_mode, 0) : AttrSetting(Attr::pad, pads); }
  bool is_padded() const { return same || pads != List<int64_t>(pads.size(), 0); }
};

// What SAME_UPPER becomes.
enum class Same : uint8_t { pads, mode };

// Attributes of a node whose input has that shape, with auto_pad resolved. `kernel` is the default.
SpatialParams read_spatial(Call& call, const Dims& shape, List<int64_t> kernel = {}, Same same = Same::pads);

// Of a ConvTranspose: sets the pads for auto_pad or output_shape, and returns the elements added at the end
// of each dimension.
List<int64_t> place_output(Call& call, SpatialParams& spatial, const Dims& shape);

// Pairs up ONNX's pads [begins, ends] per dimension.
List<int64_t> paired(const List<int64_t>& pads);

// One value per dimension, or the fallback.
List<int64_t> read_list(Call& call, std::string_view attribute, size_t count, int64_t fallback);

// Adds a height of 1 to rank-3 inputs, and to their parameters.
TensorId as_image(Call& call, TensorId x);
SpatialParams as_image(SpatialParams spatial);
// Back to rank 3 if the node has that.
TensorId from_image(Call& call, TensorId y, int64_t rank);

}  // namespace nnrt::import::onnx
