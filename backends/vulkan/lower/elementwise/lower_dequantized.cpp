#include "backends/vulkan/lower/elementwise/lower_dequantized.h"

#include "core/schema/rules.h"
#include "core/schema/schema.h"

namespace nnrt::vulkan {

bool has_quantized(const NodeView& node) {
  if (!node.schema().quantized) return false;
  for (size_t i = 0; i < node.input_count(); ++i) {
    if (has_quantized_values(node.schema(), node.input(i))) return true;
  }
  for (size_t i = 0; i < node.output_count(); ++i) {
    if (has_quantized_values(node.schema(), node.output(i))) return true;
  }
  return false;
}

Refusal refuse_conversion(const NodeView& node) {
  if (node.dtype() == DType::f32 || node.dtype() == DType::f16) return std::nullopt;
  if (node.is_quantized() && node.output(0).dtype == DType::i32)
    return "Floats cannot represent INT32 sums exactly.";
  return node.is_quantized() ? std::nullopt : not_computed(node.dtype());
}

}  // namespace nnrt::vulkan
