#include "tools/import/onnx/onnx_attributes.h"

#include "core/base/text.h"

#include <limits>

namespace nnrt::import::onnx {

const onnx_file::AttributeProto& Attributes::find(std::string_view name) const {
  static const onnx_file::AttributeProto none;
  for (const onnx_file::AttributeProto& attribute : node_->attribute())
    if (attribute.name() == name) return attribute;
  return none;
}

int64_t Attributes::count(std::string_view name, int64_t fallback) const {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  const int64_t value = integer(name, fallback);
  if (value < 0 || value > kMost)
    throw ConversionError(
        {Code::invalid_file, cat("Attribute ", name, " (", value, ") is outside [0, ", kMost, "].")});
  return value;
}

}  // namespace nnrt::import::onnx
