// Spatial parameters for kernels over one to three dimensions, for extension operators.
#pragma once

#include "tools/import/onnx/onnx_call.h"

namespace nnrt::import::onnx {

// One value per spatial dimension; two for pads.
struct SpatialNdParams {
  List<int64_t> kernel, stride, dilation, pads;
};

// Attributes of a node whose input has that shape, with auto_pad resolved. `kernel` is the default.
SpatialNdParams read_spatial_nd(Call& call, const Dims& shape, List<int64_t> kernel = {});

// Pairs up ONNX's pads [begins, ends] per dimension.
List<int64_t> paired(const List<int64_t>& pads);

// One value per dimension, or the fallback.
List<int64_t> read_list(Call& call, std::string_view attribute, size_t count, int64_t fallback);

// ConvTranspose over three dimensions.
Ids conv3d_transpose(Call& call, TensorId x);

}  // namespace nnrt::import::onnx
