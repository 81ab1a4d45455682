// Activations as nodes.
#include "mindspore/lower/node_lowering.h"

namespace nnrt::mindspore {
namespace {

void lower_activation(Lowering& op) {
  const auto type = ActivationType(op.primitive.integer("activation_type"));
  const bool approximate = op.primitive.flag("approximate");
  const float alpha = op.primitive.real("alpha");
  Value x = op.in(0);
  switch (type) {
    case ActivationType::relu: return op.emit_results(Op::relu, {x});
    case ActivationType::relu6: return op.emit_results(Op::relu6, {x});
    case ActivationType::sigmoid: return op.emit_results(Op::sigmoid, {x});
    case ActivationType::tanh: return op.emit_results(Op::tanh, {x});
    case ActivationType::hswish: return op.emit_results(Op::hswish, {x});
    default: break;
  }
  x = dequantized(op.graph, x);
  op.set(0, activate(op, x, type, alpha, op.primitive.real("min_val"), op.primitive.real("max_val"),
                     approximate));
}

void lower_elu(Lowering& op) {
  op.set(0, activate(op, op.real_in(0), ActivationType::elu, op.primitive.real("alpha"), 0, 0, false));
}

}  // namespace

std::span<const LoweringRow> activation_lowerings() {
  static constexpr LoweringRow kRows[] = {
      {PrimitiveType::activation, 1, 1, lower_activation},
      {PrimitiveType::leaky_relu, 1, 1, lower_plain, Op::leaky_relu},
      {PrimitiveType::elu, 1, 1, lower_elu},
  };
  return kRows;
}

}  // namespace nnrt::mindspore
