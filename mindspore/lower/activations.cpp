#include "mindspore/lower/activations.h"

namespace nnrt::mindspore {
namespace {

Value number(Lowering& op, const Value& like, double value) { return op.graph.number(like.dtype, value); }

// scale * (e^x - 1) below 0, `slope` * x above.
Value exponential(Lowering& op, const Value& x, double scale, double slope) {
  const Value zero = number(op, x, 0);
  const Value below = add(op.graph, op.emit(Op::exp, {op.emit(Op::minimum, {x, zero})}), -1);
  return add(op.graph, mul(op.graph, below, scale), mul(op.graph, op.emit(Op::relu, {x}), slope));
}

Value softplus(Lowering& op, const Value& x) {
  // max(x, 0) + log(1 + e^-|x|) does not overflow.
  const Value tail = op.emit(Op::exp, {op.emit(Op::neg, {op.emit(Op::abs, {x})})});
  return add(op.graph, op.emit(Op::relu, {x}), op.emit(Op::log, {add(op.graph, tail, 1)}));
}

// x where x > threshold, else 0.
Value threshold_relu(Lowering& op, const Value& x, double threshold) {
  const Value above = op.emit(Op::greater, {x, number(op, x, threshold)});
  return op.emit(Op::where, {above, x, number(op, x, 0)});
}

Value clamped(Lowering& op, const Value& x, double min, double max) {
  return op.emit(Op::clip, {x}, {{Attr::min, min}, {Attr::max, max}});
}

Value composed(Lowering& op, const Value& x, ActivationType type, float alpha, float min, float max) {
  switch (type) {
    case ActivationType::elu: return exponential(op, x, double(alpha), 1);
    case ActivationType::selu: {
      constexpr double kAlpha = 1.67326319217681884765625, kGamma = 1.05070102214813232421875;
      return exponential(op, x, kAlpha * kGamma, kGamma);
    }
    case ActivationType::relu1: return clamped(op, x, -1, 1);
    case ActivationType::hard_tanh: return clamped(op, x, double(min), double(max));
    case ActivationType::softsign: return op.emit(Op::div, {x, add(op.graph, op.emit(Op::abs, {x}), 1)});
    case ActivationType::softplus: return softplus(op, x);
    case ActivationType::threshold_relu: return threshold_relu(op, x, double(alpha));
    case ActivationType::fast_gelu:
      return op.emit(Op::mul, {x, op.emit(Op::sigmoid, {mul(op.graph, x, 1.702)})});
    case ActivationType::linear: return mul(op.graph, x, double(alpha));
    default: op.refuse("Activation (", int(type), ") is unknown.");
  }
}

}  // namespace

Value activate(Lowering& op, const Value& x, ActivationType type, float alpha, float min, float max,
               bool approximate) {
  switch (type) {
    case ActivationType::none: return x;
    case ActivationType::relu: return op.emit(Op::relu, {x});
    case ActivationType::relu6: return op.emit(Op::relu6, {x});
    case ActivationType::sigmoid: return op.emit(Op::sigmoid, {x});
    case ActivationType::tanh: return op.emit(Op::tanh, {x});
    case ActivationType::hswish: return op.emit(Op::hswish, {x});
    case ActivationType::hsigmoid: return op.emit(Op::hard_sigmoid, {x});
    case ActivationType::swish: return op.emit(Op::swish, {x});
    case ActivationType::abs: return op.emit(Op::abs, {x});
    case ActivationType::sign: return op.emit(Op::sign, {x});
    case ActivationType::gelu: return op.emit(Op::gelu, {x}, {{Attr::approximate, approximate}});
    case ActivationType::leaky_relu: return op.emit(Op::leaky_relu, {x}, {{Attr::slope, alpha}});
    default: return composed(op, x, type, alpha, min, max);
  }
}

}  // namespace nnrt::mindspore
