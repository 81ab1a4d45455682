// Spatial parameters of kernels over one to three dimensions, for the operators of this runtime.
#pragma once

#include "tools/import/onnx/onnx_call.h"

namespace nnrt::import::onnx {

// One number for each dimension between batch and channels; two pads.
struct VolumeParams {
  std::vector<int64_t> kernel, stride, dilation, pads;
};

// The attributes of a node whose input has that shape, auto_pad included. `kernel` is what the attribute does
// not say.
Result<VolumeParams> read_volume_params(Call& call, const nnrt::Shape& shape,
                                        std::vector<int64_t> kernel = {});

// Pads as ONNX lists them, [begins, ends], side by side for each dimension.
std::vector<int64_t> paired(const std::vector<int64_t>& pads);

// A list of one number for each dimension, or the fallback.
Result<std::vector<int64_t>> read_list(Call& call, std::string_view attribute, size_t count,
                                       int64_t fallback);

// ConvTranspose of three dimensions.
Result<Ids> volume_conv_transpose(Call& call, TensorId x);

}  // namespace nnrt::import::onnx
