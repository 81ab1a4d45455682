// Functions of one byte as tables of 256, worked out on the host: CPU and GPU then agree to the code.
#pragma once

#include "backends/vulkan/lower/common/lowering_common.h"

#include <functional>

namespace nnrt::vulkan {

using ByteFunction = std::function<uint8_t(uint8_t)>;
using ValueFunction = std::function<double(double)>;

// On quantized INT8 (R12): NaN gives the zero point.
ByteFunction quantized(const Quant& from, const Quant& to, const ValueFunction& function);

// Maps quantized values of one INT8 or UINT8 tensor to those of another that mean the same.
ByteFunction requantization(const Tensor& from, const Tensor& to);

// `count` bytes from x through the function to y. `owner` and `form` name the table among the constants.
void add_lookup(const LoweringContext& context, Buffer x, Buffer y, uint32_t count, TensorId owner,
                std::string_view form, const ByteFunction& function);

}  // namespace nnrt::vulkan
