// Functions of one byte as tables of 256 entries, computed on the host, so that CPU and GPU agree bit for
// bit.
#pragma once

#include "backends/vulkan/lower/common/lowering_common.h"

#include <functional>

namespace nnrt::vulkan {

using ByteFunction = std::function<uint8_t(uint8_t)>;
using ValueFunction = std::function<double(double)>;

// A function of quantized INT8 (R12): NaN maps to the zero point.
ByteFunction quantized(const Quant& from, const Quant& to, const ValueFunction& function);

// Requantizes an INT8 or UINT8 tensor.
ByteFunction requantization(const Tensor& from, const Tensor& to);

// Maps `count` bytes from x to y. `owner` and `form` identify the table among the packed constants.
void add_lookup(const LoweringContext& context, Buffer x, Buffer y, uint32_t count, TensorId owner,
                std::string_view form, const ByteFunction& function);

}  // namespace nnrt::vulkan
