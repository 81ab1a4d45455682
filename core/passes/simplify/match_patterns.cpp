// Finds activations in exported arithmetic.
#include "core/passes/simplify/pattern_nodes.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace nnrt::simplified {
namespace {

constexpr double kRootOfTwoByPi = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;

// The factors of a product: scalar constants multiplied to one number, and tensors, sorted, with repetitions.
struct Product {
  double factor = 1;
  std::vector<TensorId> tensors;

  bool is(double wanted, std::vector<TensorId> operands, double precision) const {
    std::ranges::sort(operands);
    return operands == tensors && std::abs(factor - wanted) <= precision * wanted;
  }
};

void multiply(const Rewriter& graph, TensorId id, Product& product, int depth) {
  constexpr int kDeepest = 4;
  if (const auto number = graph.real(id)) {
    product.factor *= *number;
    return;
  }
  // A factor with other readers is not expanded: the x of x * sigmoid(x).
  const bool is_inner = depth == 0 || (depth < kDeepest && graph.is_read_once(id));
  const Node* node = is_inner ? graph.writer(id) : nullptr;
  if (node != nullptr && !node->diagnosis && node->outputs.size() == 1 && is_plain(graph, *node)) {
    if (node->op == Op::mul) {
      for (const TensorId input : node->inputs) multiply(graph, input, product, depth + 1);
      return;
    }
    if (const auto divisor = node->op == Op::div ? graph.real(node->inputs[1]) : std::nullopt) {
      product.factor /= *divisor;
      return multiply(graph, node->inputs[0], product, depth + 1);
    }
    const bool cubes = node->op == Op::pow && graph.is_number(node->inputs[1], 3) &&
                       node->attrs.real(Attr::scale) == 1 && node->attrs.real(Attr::shift) == 0;
    if (cubes || node->op == Op::square) {
      for (int i = cubes ? 3 : 2; i > 0; --i) multiply(graph, node->inputs[0], product, depth + 1);
      return;
    }
  }
  product.tensors.push_back(id);
}

Product product_of(const Rewriter& graph, TensorId id) {
  Product product;
  multiply(graph, id, product, 0);
  std::ranges::sort(product.tensors);
  return product;
}

double precision_of(const Rewriter& graph, TensorId id) {
  return graph.tensor(id).dtype == DType::f16 ? 2e-3 : 2e-6;
}

// x + 3, clamped to [0, 6].
std::optional<TensorId> clamped(const Rewriter& graph, TensorId id) {
  const Node* add = graph.writer(id);
  if (add == nullptr || add->diagnosis) return {};
  const bool separate = add->op == Op::relu6 || (add->op == Op::clip && add->attrs.real(Attr::min) == 0 &&
                                                 add->attrs.real(Attr::max) == 6);
  if (separate) {
    add = plain_writer(graph, add->inputs[0], Op::add);
  } else if (activation_of(add->attrs) != Activation::relu6) {
    return {};
  }
  if (add == nullptr || add->op != Op::add || !graph.is_plain_float(add->outputs[0])) return {};
  return beside(graph, add, 3);
}

// The operand x of gate `op`, if it is multiplied by the gate with `factor`.
struct Gate {
  Op op;
  TensorId x;
  double factor = 1;
};
std::optional<Gate> gate_of(const Rewriter& graph, TensorId gate) {
  if (const Node* node = graph.writer(gate, Op::sigmoid)) return Gate{Op::swish, node->inputs[0]};
  if (const Node* node = graph.writer(gate, Op::hard_sigmoid)) return Gate{Op::hswish, node->inputs[0]};
  if (const auto x = clamped(graph, gate)) return Gate{Op::hswish, *x, 1.0 / 6};
  return {};
}

bool replace_by(Rewriter& graph, NodeId id, Op op, TensorId x, Attrs attrs = {}) {
  const Node& node = *graph.node(id);
  if (graph.tensor(x).dtype != graph.tensor(node.outputs[0]).dtype || !graph.is_plain_float(x) ||
      graph.shape(x) != graph.shape(node.outputs[0])) {
    return false;
  }
  graph.replace(id, {op, {x}, node.outputs, std::move(attrs), node.position, {}, {}});
  return true;
}

}  // namespace

bool find_gate(Rewriter& graph, NodeId id) {
  const Node& node = *graph.node(id);
  if (!ends_product(graph, node)) return false;
  const TensorId result = node.outputs[0];
  const Product product = product_of(graph, result);
  // HARD_SIGMOID alone: the clamped sum divided by 6.
  if (product.tensors.size() == 1) {
    const auto x = clamped(graph, product.tensors[0]);
    const bool is_gate = x && product.is(1.0 / 6, product.tensors, precision_of(graph, result));
    return is_gate && replace_by(graph, id, Op::hard_sigmoid, *x);
  }
  if (product.tensors.size() != 2) return false;
  for (const TensorId tensor : product.tensors) {
    const auto gate = gate_of(graph, tensor);
    if (!gate || !product.is(gate->factor, {tensor, gate->x}, precision_of(graph, result))) continue;
    return replace_by(graph, id, gate->op, gate->x);
  }
  return false;
}

// 0.5 x (1 + erf(x / sqrt 2)), or 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))).
bool find_gelu(Rewriter& graph, NodeId id) {
  const Node& node = *graph.node(id);
  if (!ends_product(graph, node)) return false;
  const TensorId result = node.outputs[0];
  const double precision = precision_of(graph, result);
  const Product product = product_of(graph, result);
  if (product.tensors.size() != 2) return false;
  for (const size_t i : {0, 1}) {
    const TensorId x = product.tensors[1 - i], sum = product.tensors[i];
    const auto curve = beside(graph, plain_writer(graph, sum, Op::add), 1);
    if (!curve || !product.is(0.5, {x, sum}, precision)) continue;
    const auto finish = [&](bool approximate) {
      Attrs attrs;
      attrs.set(Attr::approximate, {DType::boolean, {approximate ? 1 : 0}, {}});
      return replace_by(graph, id, Op::gelu, x, std::move(attrs));
    };
    if (const Node* erf = graph.writer(*curve, Op::erf)) {
      if (product_of(graph, erf->inputs[0]).is(std::numbers::sqrt2 / 2, {x}, precision)) return finish(false);
    }
    const Node* tanh = graph.writer(*curve, Op::tanh);
    if (tanh == nullptr) continue;
    const Product scaled = product_of(graph, tanh->inputs[0]);
    if (scaled.tensors.size() != 1 || !scaled.is(kRootOfTwoByPi, scaled.tensors, 1e-4)) continue;
    const Node* cubic = plain_writer(graph, scaled.tensors[0], Op::add);
    for (const size_t k : {0, 1}) {
      if (cubic == nullptr || cubic->inputs[k] != x) continue;
      if (product_of(graph, cubic->inputs[1 - k]).is(0.044715, {x, x, x}, 1e-4)) return finish(true);
    }
  }
  return false;
}

// where(isnan(softmax(x)), 0, softmax(x)): how PyTorch protects attention against fully masked rows.
bool fold_nan_guard(Rewriter& graph, NodeId id) {
  const Node& node = *graph.node(id);
  if (node.op != Op::where && node.op != Op::select) return false;
  const TensorId guarded = node.inputs[2];
  const Node* softmax = plain_writer(graph, guarded, Op::softmax);
  const Node* is_nan = graph.writer(node.inputs[0], Op::not_equal);
  if (softmax == nullptr || is_nan == nullptr || !graph.is_number(node.inputs[1], 0)) return false;
  if (is_nan->inputs != std::vector{guarded, guarded} || !graph.is_read_once(node.inputs[0])) return false;
  constexpr uint32_t kReads = 3;  // twice by the comparison, once by this node
  if (graph.reads(guarded) != kReads || graph.is_output(guarded)) return false;
  Attrs attrs = softmax->attrs;
  attrs.set(Attr::zero_nan, {.dtype = DType::boolean, .integers = {1}, .floats = {}});
  return replace_by(graph, id, Op::softmax, softmax->inputs[0], std::move(attrs));
}

}  // namespace nnrt::simplified
