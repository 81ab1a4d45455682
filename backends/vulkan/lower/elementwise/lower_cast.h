// Dtype conversions, for CAST and for operators whose operands differ in dtype (R10).
#pragma once

#include "backends/vulkan/lower/common/cast_command.h"
#include "backends/vulkan/lower/common/lowering_common.h"

namespace nnrt::vulkan {

// Refuses pairs that cast.comp does not support.
Refusal refuse_cast(DType from, DType to);

// Converts between a float dtype and 8-bit quantized values, or from quantized INT32. Element i belongs to
// channel (i / inner) % number of scales.
struct QuantCast {
  Buffer x, y;
  uint32_t count = 0;
  bool to_quantized = false;
  DType real = DType::f32, quantized = DType::i8;
  const Quant& quant;
  uint32_t inner = 1;
  std::string_view form = "quantization";
};
// `owner` (the quantized tensor) and the form identify the parameters among the packed constants.
void add_quant_cast(const LoweringContext& context, const QuantCast& cast, TensorId owner);

}  // namespace nnrt::vulkan
