#include "nnapi/lower/compose.h"

#include "core/base/text.h"

#include <android/NeuralNetworks.h>

namespace nnrt::nnapi {

void require_fixed_quant(Lowering& op, double scale, int32_t zero_point) {
  const ResultType type = op.result_type();
  if (type.dtype != DType::i8 || type.quant == Quant{{scale}, {zero_point}}) return;
  op.fail(invalid("Scale (", type.quant.scales[0], ") and zero point (", type.quant.zero_points[0],
                  ") of the result are not those that the operation has."));
}

FusedActivation fused_activation(Lowering& op, int64_t fuse_code) {
  switch (fuse_code) {
    case ANEURALNETWORKS_FUSED_NONE: return {};
    case ANEURALNETWORKS_FUSED_RELU: return {.activation = 1};
    case ANEURALNETWORKS_FUSED_RELU6: return {.activation = 2};
    case ANEURALNETWORKS_FUSED_RELU1: return {.clamp_to_one = true};
    default: op.fail(invalid("Fuse code (", fuse_code, ") is outside [0, 3]."));
  }
}

Value apply_activation(Lowering& op, const Value& value, const FusedActivation& fused) {
  return fused.clamp_to_one ? clamp(op.graph, value, -1, 1) : value;
}

Value with_activation(Lowering& op, const Value& value, int64_t fuse_code) {
  const FusedActivation fused = fused_activation(op, fuse_code);
  if (fused.activation == 1) return op.graph.emit(Op::relu, {value});
  if (fused.activation == 2) return op.graph.emit(Op::relu6, {value});
  return apply_activation(op, value, fused);
}

Value to_nhwc(GraphWriter& graph, const Value& value, bool is_nchw) {
  return is_nchw ? transpose(graph, value, {0, 2, 3, 1}) : value;
}

Value from_nhwc(GraphWriter& graph, const Value& value, bool is_nchw) {
  return is_nchw ? transpose(graph, value, {0, 3, 1, 2}) : value;
}

}  // namespace nnrt::nnapi
