#include "tools/import/network/core_tensor.h"

namespace nnrt::import {

nnrt::Tensor to_core(const Tensor& tensor) {
  nnrt::Tensor made;
  made.name = tensor.name;
  made.dtype = static_cast<DType>(tensor.type);
  made.format = static_cast<Format>(tensor.format);
  made.shape.assign(tensor.shape.begin(), tensor.shape.end());
  made.quant = {tensor.quantization.scales, tensor.quantization.zero_points};
  if (tensor.data) made.data = tensor.data;
  return made;
}

Tensor from_core(nnrt::Tensor tensor) {
  return {std::move(tensor.name),
          static_cast<OH_NN_DataType>(tensor.dtype),
          static_cast<OH_NN_Format>(tensor.format),
          Shape(tensor.shape.begin(), tensor.shape.end()),
          {std::move(tensor.quant.scales), std::move(tensor.quant.zero_points)},
          std::move(tensor.data)};
}

}  // namespace nnrt::import
