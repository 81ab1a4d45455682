// Constants as the floats that they stand for, and floats as fp16, on the host.
#pragma once

#include "core/graph/graph.h"

#include <memory>

namespace nnrt::vulkan {

// A constant of FLOAT16, FLOAT64, INT8 or INT32, of which dimension 0 has channels if the quantization does;
// without one, integers are numbers.
std::shared_ptr<const Bytes> constant_as_float(const Tensor& tensor, const Quant& quant);

Bytes floats_as_fp16(ByteView floats);

}  // namespace nnrt::vulkan
