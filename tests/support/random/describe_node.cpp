#include "tests/support/random/describe_node.h"

#include "core/base/fp16.h"
#include "core/base/text.h"

#include <array>
#include <cstring>
#include <string_view>

namespace nnrt::test {
namespace {

std::string_view format_name(Format format) {
  constexpr std::array<std::string_view, 4> kNames = {"", " NCHW", " NHWC", " ND"};
  return kNames[size_t(format)];
}

// One element as text.
std::string element_text(DType dtype, const std::byte* at) {
  if (dtype == DType::f16) {
    Half half;
    std::memcpy(&half, at, sizeof half);
    return cat(to_float(half));
  }
  if (dtype == DType::f32) {
    float value = 0;
    std::memcpy(&value, at, sizeof value);
    return cat(value);
  }
  int64_t value = 0;
  std::memcpy(&value, at, size_of(dtype));
  const int unused = 64 - 8 * int(size_of(dtype));
  return cat(value << unused >> unused);
}

std::string describe_param(Op op, const Tensor& tensor) {
  const ParamRow* row = schema(op).param(tensor.role);
  std::string text =
      cat(row == nullptr ? "a foreign parameter" : row->type_name(), " (", name(tensor.dtype), ") =");
  if (!tensor.data) return text + " no data";
  const size_t size = size_of(tensor.dtype);
  for (size_t at = 0; at < tensor.data->size(); at += size)
    text.append(" ").append(element_text(tensor.dtype, tensor.data->data() + at));
  return text;
}

}  // namespace

std::string describe(const Tensor& tensor) {
  std::string text = cat(name(tensor.dtype), " ", to_string(tensor.shape), format_name(tensor.format));
  if (!tensor.quant.empty()) {
    text += cat(" quantized (", tensor.quant.scales[0], ", ", tensor.quant.zero_points[0]);
    text += tensor.quant.scales.size() > 1 ? ", ...)" : ")";
  }
  return text;
}

std::string describe(const RandomNode& node) {
  std::string text = cat(name(node.op), ", seed ", node.seed, ":");
  for (const Tensor& tensor : node.inputs) {
    text += cat("\n  in  ", describe(tensor), tensor.is_constant() ? " constant" : " fed");
  }
  for (const Tensor& tensor : node.params) text += cat("\n  ", describe_param(node.op, tensor));
  for (const Tensor& tensor : node.outputs) text += cat("\n  out ", describe(tensor));
  return text;
}

}  // namespace nnrt::test
