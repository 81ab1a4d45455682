// Activations and normalizations that exporters write out as arithmetic.
#include "core/graph/activation.h"
#include "core/passes/simplify/rewriter.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace nnrt::simplified {
namespace {

constexpr double kRootOfTwoByPi = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;

// A node without an activation of its own, on plain numbers of one dtype.
bool is_plain(const Rewriter& graph, const Node& node) {
  const DType dtype = graph.tensor(node.outputs[0]).dtype;
  if (!graph.is_plain_float(node.outputs[0]) || activation_of(node.attrs) != Activation::none) return false;
  return std::ranges::all_of(node.inputs, [&](TensorId id) { return graph.tensor(id).dtype == dtype; });
}

const Node* plain_writer(const Rewriter& graph, TensorId id, Op op) {
  const Node* node = graph.writer(id, op);
  return node != nullptr && is_plain(graph, *node) ? node : nullptr;
}

// The other operand of a commutative node one of whose operands is that number.
std::optional<TensorId> beside(const Rewriter& graph, const Node* node, double value) {
  if (node == nullptr) return {};
  for (const size_t i : {0, 1}) {
    if (graph.is_real(node->inputs[i], value)) return node->inputs[1 - i];
  }
  return {};
}

// The factors of a product: constants of one element as a number, and tensors, each as often as it occurs,
// sorted.
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
  // A factor that others read as well is one of its own: the x of x * sigmoid(x).
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
    const bool cubes = node->op == Op::pow && graph.is_real(node->inputs[1], 3) &&
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

// The operand that the gate tensor `gate` is computed of, where they are multiplied to `op` with `factor`.
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

bool ends_product(const Rewriter& graph, const Node& node) {
  return (node.op == Op::mul || node.op == Op::div) && is_plain(graph, node);
}

}  // namespace

bool find_gate(Rewriter& graph, NodeId id) {
  const Node& node = *graph.node(id);
  if (!ends_product(graph, node)) return false;
  const TensorId result = node.outputs[0];
  const Product product = product_of(graph, result);
  // HARD_SIGMOID alone: its clamped sum divided by 6.
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

namespace {

// The tensor of which this is the mean over the last dimension, which stays as 1.
std::optional<TensorId> mean_of(const Rewriter& graph, TensorId id) {
  const Node* node = graph.writer(id, Op::reduce_mean);
  if (node == nullptr || !graph.is_plain_float(id) || !node->attrs.flag(Attr::keep_dims)) return {};
  if (node->attrs.has(Attr::reduce_to_end) && node->attrs.flag(Attr::reduce_to_end)) return {};
  const auto axes = graph.integers(node->inputs[1]);
  const auto rank = int64_t(graph.shape(node->inputs[0]).size());
  if (!axes || axes->size() != 1 || (axes->front() != -1 && axes->front() != rank - 1)) return {};
  return node->inputs[0];
}

// x where this is x minus its mean.
std::optional<TensorId> centered(const Rewriter& graph, TensorId id) {
  const Node* node = plain_writer(graph, id, Op::sub);
  if (node == nullptr || mean_of(graph, node->inputs[1]) != node->inputs[0]) return {};
  return node->inputs[0];
}

// x where this is the squared distance from its mean.
std::optional<TensorId> squared_distance(const Rewriter& graph, TensorId id) {
  const Node* node = graph.writer(id);
  if (node == nullptr || node->diagnosis || node->outputs.size() != 1 || !is_plain(graph, *node)) return {};
  switch (node->op) {
    case Op::square: return centered(graph, node->inputs[0]);
    case Op::mul: return node->inputs[0] == node->inputs[1] ? centered(graph, node->inputs[0]) : std::nullopt;
    case Op::pow:
      if (!graph.is_real(node->inputs[1], 2) || node->attrs.real(Attr::scale) != 1 ||
          node->attrs.real(Attr::shift) != 0) {
        return {};
      }
      return centered(graph, node->inputs[0]);
    case Op::squared_difference:
      for (const size_t i : {0, 1}) {
        if (mean_of(graph, node->inputs[1 - i]) == node->inputs[i]) return node->inputs[i];
      }
      return {};
    default: return {};
  }
}

// x and epsilon where this is x's variance + epsilon.
struct Variance {
  TensorId x;
  double epsilon;
};
std::optional<Variance> variance(const Rewriter& graph, TensorId id) {
  const Node* add = plain_writer(graph, id, Op::add);
  if (add == nullptr) return {};
  for (const size_t i : {0, 1}) {
    const auto epsilon = graph.real(add->inputs[i]);
    const auto squares = mean_of(graph, add->inputs[1 - i]);
    const auto x = squares ? squared_distance(graph, *squares) : std::nullopt;
    if (epsilon && x) return Variance{*x, *epsilon};
  }
  return {};
}

// The same where this is x, centered, by the root of its variance.
std::optional<Variance> normalized(const Rewriter& graph, TensorId id) {
  const Node* node = graph.writer(id);
  if (node == nullptr || node->diagnosis || !ends_product(graph, *node)) return {};
  for (const size_t i : {0, 1}) {
    if (node->op == Op::div && i == 0) continue;  // the divisor is the second operand
    const Node* root = graph.writer(node->inputs[i], node->op == Op::div ? Op::sqrt : Op::rsqrt);
    const auto found = root != nullptr ? variance(graph, root->inputs[0]) : std::nullopt;
    if (found && centered(graph, node->inputs[1 - i]) == found->x) return found;
  }
  return {};
}

}  // namespace

// normalized * gamma + beta.
bool find_layer_norm(Rewriter& graph, NodeId id) {
  const Node node = *graph.node(id);
  if (node.op != Op::add || !is_plain(graph, node)) return false;
  for (const size_t i : {0, 1}) {
    const TensorId beta = node.inputs[1 - i];
    const Node* scaled = plain_writer(graph, node.inputs[i], Op::mul);
    if (scaled == nullptr) continue;
    for (const size_t k : {0, 1}) {
      const TensorId gamma = scaled->inputs[1 - k];
      const auto found = normalized(graph, scaled->inputs[k]);
      if (!found || graph.shape(found->x).size() < 2) continue;
      const Shape& shape = graph.shape(found->x);
      const Shape line{shape.back()};
      const bool fits = graph.shape(gamma) == line && graph.shape(beta) == line && is_static(line) &&
                        shape == graph.shape(node.outputs[0]);
      if (!fits) continue;
      const auto axis = int64_t(shape.size()) - 1;
      Attrs attrs;
      attrs.set(Attr::begin_norm_axis, {DType::i64, {axis}, {}});
      attrs.set(Attr::begin_param_axis, {DType::i64, {axis}, {}});
      attrs.set(Attr::epsilon, {DType::f32, {}, {found->epsilon}});
      graph.replace(id,
                    {Op::layer_norm, {found->x, gamma, beta}, node.outputs, attrs, node.position, {}, {}});
      return true;
    }
  }
  return false;
}

// where(isnan(softmax(x)), 0, softmax(x)), as PyTorch guards attention against rows that are masked
// altogether.
bool fold_nan_guard(Rewriter& graph, NodeId id) {
  const Node& node = *graph.node(id);
  if (node.op != Op::where && node.op != Op::select) return false;
  const TensorId guarded = node.inputs[2];
  const Node* softmax = plain_writer(graph, guarded, Op::softmax);
  const Node* is_nan = graph.writer(node.inputs[0], Op::not_equal);
  if (softmax == nullptr || is_nan == nullptr || !graph.is_real(node.inputs[1], 0)) return false;
  if (is_nan->inputs != std::vector{guarded, guarded} || !graph.is_read_once(node.inputs[0])) return false;
  constexpr uint32_t kReads = 3;  // by the comparison, twice, and by this node
  if (graph.reads(guarded) != kReads || graph.is_output(guarded)) return false;
  Attrs attrs = softmax->attrs;
  attrs.set(Attr::zero_nan, {.dtype = DType::boolean, .integers = {1}, .floats = {}});
  return replace_by(graph, id, Op::softmax, softmax->inputs[0], std::move(attrs));
}

}  // namespace nnrt::simplified
