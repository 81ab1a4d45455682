#include "tools/nnrt/quantize/rounding_error.h"

#include "tools/nnrt/base/array.h"

#include <algorithm>

namespace nnrt::tool {
namespace {

bool is_quantized(const import::Tensor& tensor) {
  return is_8_bit(tensor.type) && !tensor.quantization.empty();
}

// Operators that move values, or that do not amplify differences of their input.
bool keeps_step(Op type) {
  switch (type) {
    case Op::quant_dtype_cast:
    case Op::reshape:
    case Op::flatten:
    case Op::squeeze:
    case Op::unsqueeze:
    case Op::expand_dims:
    case Op::transpose:
    case Op::slice:
    case Op::strided_slice:
    case Op::split:
    case Op::concat:
    case Op::gather:
    case Op::softmax:
    case Op::sigmoid:
    case Op::tanh:
    case Op::relu:
    case Op::relu6:
    case Op::clip:
    case Op::max_pool:
    case Op::avg_pool:
    case Op::resize_bilinear: return true;
    default: return false;
  }
}

RoundingError error_of(const import::Network& network, const import::Operation& operation,
                       const std::vector<RoundingError>& errors) {
  RoundingError error;
  for (const import::TensorId id : operation.inputs) {
    error.is_quantized = error.is_quantized || errors[id].is_quantized;
    error.step = std::max(error.step, errors[id].step);
  }
  if (!keeps_step(operation.type)) error.step = 0;
  const import::Tensor& output = network.tensors[operation.outputs[0]];
  if (!is_quantized(output)) return error;
  return {true, *std::ranges::max_element(output.quantization.scales)};
}

// Box decoding divides by SCALE; scores are copied; classes and counts are integers.
std::vector<RoundingError> errors_of_detection(const import::Operation& operation,
                                               const std::vector<RoundingError>& errors) {
  RoundingError boxes = errors[operation.inputs.at(0)];
  const RoundingError scores = errors[operation.inputs.at(1)];
  boxes.is_quantized = boxes.is_quantized || scores.is_quantized;
  if (operation.attributes.has(Attr::scale)) {
    const auto scales = operation.attributes.floats(Attr::scale);
    const auto least = std::ranges::min_element(scales);
    if (least != scales.end() && *least > 0) boxes.step /= *least;
  }
  return {boxes, {}, scores, {}};
}

}  // namespace

std::vector<RoundingError> rounding_errors(const import::Network& network) {
  std::vector<RoundingError> errors(network.tensors.size());
  for (const import::Operation& operation : network.operations) {
    if (operation.outputs.empty()) continue;
    if (operation.type == Op::detection_post_process) {
      const std::vector<RoundingError> of_outputs = errors_of_detection(operation, errors);
      for (size_t i = 0; i < std::min(of_outputs.size(), operation.outputs.size()); ++i)
        errors[operation.outputs[i]] = of_outputs[i];
      continue;
    }
    const RoundingError error = error_of(network, operation, errors);
    for (const import::TensorId id : operation.outputs) errors[id] = error;
  }
  std::vector<RoundingError> outputs;
  for (const import::TensorId id : network.outputs) outputs.push_back(errors[id]);
  return outputs;
}

}  // namespace nnrt::tool
