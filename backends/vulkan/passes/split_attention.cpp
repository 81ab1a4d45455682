#include "backends/vulkan/passes/split_attention.h"

#include "backends/vulkan/lower/attention/lower_attention_matrix.h"
#include "backends/vulkan/lower/common/matmul_operands.h"
#include "core/base/fp16.h"
#include "core/passes/simplify/rewriter.h"
#include "core/schema/attention_geometry.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

namespace nnrt::vulkan {
namespace {

using simplified::Rewriter;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

AttrValue flag(bool value) { return {.dtype = DType::boolean, .integers = {value ? 1 : 0}, .floats = {}}; }

// Returns whether the scores and the mask are small enough to store.
bool fits(const Attention& work) {
  constexpr int64_t kMaxMask = int64_t{1} << 24, kMaxProducts = std::numeric_limits<int32_t>::max();
  if (work.is_causal && work.queries * work.keys > kMaxMask) return false;
  const auto products = element_count({work.matrices(), work.rows(), work.keys});
  return products && *products <= kMaxProducts;
}

// Splitting does not pay with fewer rows.
constexpr int64_t kManyRows = 9;

Attention attention_in(const Graph& graph, const Node& node) {
  const std::vector<const std::byte*> values(graph.tensors.size(), nullptr);
  return attention_of(NodeView(graph, node, graph.shapes, values));
}

bool can_split(const Graph& graph, const Node& node) {
  return node.op == Op::attention && !node.diagnosis && fits(attention_in(graph, node));
}

// Returns whether cooperative matrices apply to one of the two products: its inner dimension and columns must
// be multiples of an fp16 vector.
bool has_matrix_product(const Attention& work) {
  const auto is_whole = [](int64_t length) { return length % kFp16PerVector == 0; };
  return is_whole(work.keys) && (is_whole(work.size) || is_whole(work.value_size));
}

bool shall_split(const Graph& graph, const Node& node, const DevicePlan& plan) {
  if (plan.is_software) return true;
  if (!plan.fast_shared_memory) return attention_in(graph, node).rows() >= kManyRows;
  const bool is_fp16 = graph.tensors[node.inputs[0]].dtype == DType::f16;
  if (!is_fp16 || plan.matrices.fp16.rows == 0) return false;
  const Attention work = attention_in(graph, node);
  return work.rows() >= kManyRows && has_matrix_product(work) && why_not_attention_matrix(work, plan);
}

class Split {
 public:
  Split(Rewriter& graph, NodeId id, const Attention& work)
      : graph_(graph), id_(id), node_(*graph.node(id)), model_(graph.tensor(node_.outputs[0])), work_(work) {}

  void run() {
    const std::optional<TensorId> hidden = hidden_keys();
    TensorId products = multiply(reshaped(scaled_query(), grouped(work_.size)),
                                 readable(node_.inputs[1], hidden), true, grouped(work_.keys));
    if (work_.has_mask || work_.is_causal) products = masked(reshaped(products, of_heads()));
    const TensorId weights = reshaped(softmax(products), grouped(work_.keys));
    Node product = matmul(weights, readable(node_.inputs[2], hidden), false);
    if (work_.group == 1) {
      product.outputs = node_.outputs;
      return graph_.replace(id_, std::move(product));
    }
    const TensorId result = graph_.append(std::move(product), model_, grouped(work_.value_size));
    const Shape shape = graph_.shape(node_.outputs[0]);
    graph_.replace(id_, {Op::reshape, {result, numbers(shape)}, node_.outputs, {}, node_.position, {}, {}});
  }

 private:
  // The rows of all heads that share a key head form one matrix.
  Shape grouped(int64_t columns) const { return {work_.batch, work_.key_heads, work_.rows(), columns}; }
  Shape of_heads() const { return {work_.batch, work_.key_heads * work_.group, work_.queries, work_.keys}; }

  TensorId append(Op op, std::vector<TensorId> inputs, Attrs attrs, Shape shape) {
    return graph_.append({op, std::move(inputs), {}, std::move(attrs), node_.position, {}, {}}, model_,
                         std::move(shape));
  }
  TensorId numbers(const Shape& values) {
    Tensor model;
    model.name = "shape";
    model.dtype = DType::i64;
    return graph_.add_integers(model, {int64_t(values.size())}, values);
  }
  TensorId floats(Shape shape, const std::vector<float>& values) {
    Tensor tensor{"mask", model_.dtype, model_.format, std::move(shape), {}, 0, {}};
    Bytes bytes(values.size() * size_of(tensor.dtype));
    for (size_t i = 0; i < values.size(); ++i) {
      const Half half = to_half(values[i]);
      const bool is_half = tensor.dtype == DType::f16;
      std::memcpy(bytes.data() + i * size_of(tensor.dtype), is_half ? (const void*)&half : &values[i],
                  size_of(tensor.dtype));
    }
    tensor.data = std::make_shared<const Bytes>(std::move(bytes));
    return graph_.add(std::move(tensor));
  }

  // Which keys a BOOL mask shows to no query, [batch or 1, key heads or 1, keys or 1, 1].
  std::optional<TensorId> hidden_keys() {
    if (!work_.has_mask || graph_.tensor(node_.inputs[3]).dtype != DType::boolean) return {};
    const Tensor flags = graph_.tensor(node_.inputs[3]);
    const auto append_flags = [&](Op op, std::vector<TensorId> inputs, Attrs attrs, Shape shape) {
      return graph_.append({op, std::move(inputs), {}, std::move(attrs), node_.position, {}, {}}, flags,
                           std::move(shape));
    };
    Shape mask = graph_.shape(node_.inputs[3]);
    mask.insert(mask.begin(), 4 - mask.size(), 1);
    const int64_t heads = mask[1] == 1 ? 1 : work_.key_heads, keys = mask[3];
    const Shape of_rows{mask[0], heads, mask[1] * mask[2] / heads, keys}, of_keys{mask[0], heads, keys, 1};
    Attrs keeps_dims;
    keeps_dims.set(Attr::keep_dims, {.dtype = DType::i64, .integers = {1}, .floats = {}});
    const TensorId rows = append_flags(Op::reshape, {node_.inputs[3], numbers(of_rows)}, {}, of_rows),
                   hides = append_flags(Op::logical_not, {rows}, {}, of_rows),
                   hidden = append_flags(Op::all, {hides, numbers({2})}, std::move(keeps_dims),
                                         {mask[0], heads, 1, keys});
    return append_flags(Op::reshape, {hidden, numbers(of_keys)}, {}, of_keys);
  }
  // Keys or values with 0 instead of the hidden ones, which may be NaN.
  TensorId readable(TensorId x, std::optional<TensorId> hidden) {
    return hidden ? append(Op::where, {*hidden, floats({1}, {0}), x}, {}, graph_.shape(x)) : x;
  }

  TensorId reshaped(TensorId x, const Shape& shape) {
    if (graph_.shape(x) == shape) return x;
    const TensorId target = numbers(shape);
    return append(Op::reshape, {x, target}, {}, shape);
  }
  TensorId scaled_query() {
    const TensorId query = node_.inputs[0];
    if (work_.scale == 1) return query;
    const TensorId scale = floats({1}, {float(work_.scale)});
    return append(Op::mul, {query, scale}, without_activation(), graph_.shape(query));
  }
  static Attrs without_activation() {
    Attrs attrs;
    attrs.set(Attr::activation, {.dtype = DType::i8, .integers = {0}, .floats = {}});
    return attrs;
  }

  Node matmul(TensorId left, TensorId right, bool transposes) const {
    Attrs attrs = without_activation();
    attrs.set(Attr::transpose_a, flag(false));
    attrs.set(Attr::transpose_b, flag(transposes));
    return {Op::matmul, {left, right}, {}, std::move(attrs), node_.position, {}, {}};
  }
  TensorId multiply(TensorId left, TensorId right, bool transposes, Shape shape) {
    return graph_.append(matmul(left, right, transposes), model_, std::move(shape));
  }
  TensorId softmax(TensorId x) {
    Attrs attrs;
    attrs.set(Attr::axis, {.dtype = DType::i64, .integers = {-1}, .floats = {}});
    attrs.set(Attr::zero_nan, zero_rows_attr(Op::softmax, work_.zero_rows));
    return append(Op::softmax, {x}, std::move(attrs), graph_.shape(x));
  }

  TensorId masked(TensorId products) {
    if (work_.has_mask) {
      const TensorId mask = node_.inputs[3];
      products = graph_.tensor(mask).dtype == DType::boolean
                     ? shown(mask, products)
                     : append(Op::add, {products, mask}, without_activation(), graph_.shape(products));
    }
    return work_.is_causal ? shown(causal_flags(), products) : products;
  }
  // Minus infinity instead of the hidden products, which may be NaN.
  TensorId shown(TensorId flags, TensorId products) {
    return append(Op::where, {flags, products, floats({1}, {-kInfinity})}, {}, graph_.shape(products));
  }
  TensorId causal_flags() {
    Tensor flags{"mask", DType::boolean, model_.format, {work_.queries, work_.keys}, {}, 0, {}};
    Bytes bytes;
    for (int64_t query = 0; query < work_.queries; ++query)
      for (int64_t key = 0; key < work_.keys; ++key) bytes.push_back(std::byte(key < work_.seen_by(query)));
    flags.data = std::make_shared<const Bytes>(std::move(bytes));
    return graph_.add(std::move(flags));
  }

  Rewriter& graph_;
  const NodeId id_;
  const Node node_;
  const Tensor model_;
  const Attention work_;
};

}  // namespace

bool prefers_split_attention(const DevicePlan& plan, DType dtype) {
  if (plan.is_software) return true;
  const bool has_matrices = dtype == DType::f16 && plan.matrices.fp16.rows > 0;
  return has_matrices && why_not_attention_matrix(Attention{}, plan);
}

WhyNot why_not_split_attention(const Graph& graph, const DevicePlan& plan) {
  const bool can = std::ranges::any_of(graph.nodes, [&](const Node& node) { return can_split(graph, node); });
  if (!can) return "No ATTENTION has scores small enough to store.";
  const bool shall = std::ranges::any_of(graph.nodes, [&](const Node& node) {
    return can_split(graph, node) && shall_split(graph, node, plan);
  });
  return shall ? WhyNot() : WhyNot::slower("The device's ATTENTION kernels need not store the scores.");
}

Graph with_split_attention(const Graph& graph, const DevicePlan& plan) {
  const bool is_forced = plan.kernels.forces("split_attention");
  Rewriter rewriter(graph);
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    const Node& node = graph.nodes[id];
    if (can_split(graph, node) && (is_forced || shall_split(graph, node, plan)))
      Split(rewriter, id, attention_in(graph, node)).run();
  }
  return rewriter.take();
}

}  // namespace nnrt::vulkan
