// Finds ROTARY_EMBEDDING as exporters write it: x * cos + swapped * sin, where pairs (a, b) of x become (-b,
// a), and cos and sin are equal for both elements of a pair.
#include "core/passes/simplify/pattern_nodes.h"
#include "core/passes/simplify/rewriter.h"
#include "core/schema/schema.h"

#include <algorithm>
#include <array>

namespace nnrt::simplified {
namespace {

using Parts = std::array<TensorId, 2>;

bool is_reshape(Op op) {
  return op == Op::reshape || op == Op::unsqueeze || op == Op::expand_dims || op == Op::squeeze;
}

// The RESHAPE (or equivalent) that writes this tensor.
const Node* reshaped(const Rewriter& graph, TensorId id) {
  const Node* node = graph.writer(id);
  return node != nullptr && !node->diagnosis && is_reshape(node->op) ? node : nullptr;
}

// The tensor to which a trailing dimension of 1 was added.
std::optional<TensorId> without_last(const Rewriter& graph, TensorId id) {
  const Node* node = reshaped(graph, id);
  if (node == nullptr) return {};
  Shape shape = graph.shape(node->inputs[0]);
  shape.push_back(1);
  const bool is_added = shape == graph.shape(id) && std::ranges::count(shape, kUnknown) <= 1;
  return is_added ? std::optional(node->inputs[0]) : std::nullopt;
}

// The RESHAPE from [..., n, 2] to [..., 2 n] that writes `id`, or null.
const Node* reshaped_pairs(const Rewriter& graph, TensorId id) {
  const Node* node = reshaped(graph, id);
  if (node == nullptr) return nullptr;
  const Shape &from = graph.shape(node->inputs[0]), &to = graph.shape(id);
  const bool fits = from.size() >= 2 && !to.empty() && from.back() == 2 && to.back() > 0 &&
                    from[from.size() - 2] * 2 == to.back();
  return fits ? node : nullptr;
}

// The first elements of a constant's pairs, if both elements of each pair are equal.
std::optional<std::vector<double>> constant_partners(const Rewriter& graph, TensorId id, bool interleaved) {
  const auto values = graph.floats(id);
  const Shape& shape = graph.shape(id);
  if (!values || shape.empty() || shape.back() < 2 || shape.back() % 2 != 0) return {};
  const auto length = size_t(shape.back()), pairs = length / 2;
  std::vector<double> firsts;
  for (size_t row = 0; row < values->size(); row += length) {
    for (size_t i = 0; i < pairs; ++i) {
      const size_t first = row + (interleaved ? 2 * i : i), second = interleaved ? first + 1 : first + pairs;
      if ((*values)[first] != (*values)[second]) return {};
      firsts.push_back((*values)[first]);
    }
  }
  return firsts;
}

// The two tensors concatenated along the last dimension.
std::optional<Parts> joined_last(const Rewriter& graph, TensorId id) {
  const Node* concat = plain_writer(graph, id, Op::concat);
  if (concat == nullptr || concat->inputs.size() != 2) return {};
  const int64_t axis = concat->attrs.integer(Attr::axis);
  if (axis != -1 && axis != int64_t(graph.shape(id).size()) - 1) return {};
  return Parts{concat->inputs[0], concat->inputs[1]};
}

// The two tensors that alternate along the last dimension.
std::optional<Parts> stacked_last(const Rewriter& graph, TensorId id) {
  const Node* pairs = reshaped_pairs(graph, id);
  const auto parts = pairs != nullptr ? joined_last(graph, pairs->inputs[0]) : std::nullopt;
  if (!parts) return {};
  const auto first = without_last(graph, (*parts)[0]), second = without_last(graph, (*parts)[1]);
  return first && second ? std::optional(Parts{*first, *second}) : std::nullopt;
}

// True if the tensor was made by repeating elements as partners.
bool repeats(const Rewriter& graph, TensorId id, bool interleaved) {
  const auto parts = interleaved ? stacked_last(graph, id) : joined_last(graph, id);
  if (parts) return (*parts)[0] == (*parts)[1];
  const Node* pairs = interleaved ? reshaped_pairs(graph, id) : nullptr;
  const Node* broadcast = pairs != nullptr ? graph.writer(pairs->inputs[0], Op::broadcast_to) : nullptr;
  if (broadcast == nullptr) return false;
  const Shape& from = graph.shape(broadcast->inputs[0]);
  return !from.empty() && from.back() == 1;
}

// The tensor from which this was computed in a way that keeps equal partners equal.
std::optional<TensorId> computed_from(const Rewriter& graph, TensorId id) {
  const Node* node = graph.writer(id);
  if (node == nullptr || node->diagnosis || node->outputs.size() != 1 || node->inputs.empty()) return {};
  if (schema(node->op).family == Family::unary) return node->inputs[0];
  const Shape& from = graph.shape(node->inputs[0]);
  if (is_reshape(node->op) && !from.empty() && from.back() == graph.shape(id).back()) return node->inputs[0];
  if (node->op != Op::mul) return {};
  for (const size_t i : {0, 1}) {
    if (element_count(graph.shape(node->inputs[i])) == 1) return node->inputs[1 - i];
  }
  return {};
}

// The first elements of the pairs of each row.
TensorId sliced(Rewriter& graph, TensorId id, bool interleaved) {
  Shape shape = graph.shape(id);
  const auto rank = int64_t(shape.size());
  const Tensor list{"", DType::i64, Format::none, {rank}, {}, 0, {}};
  std::vector<int64_t> ends(shape.begin(), shape.end()), steps(shape.size(), 1);
  shape.back() /= 2;
  if (interleaved) {
    steps.back() = 2;
  } else {
    ends.back() = shape.back();
  }
  const TensorId begin = graph.add_integers(list, {rank}, std::vector<int64_t>(size_t(rank), 0)),
                 end = graph.add_integers(list, {rank}, ends), step = graph.add_integers(list, {rank}, steps);
  Attrs attrs;
  for (const Attr mask :
       {Attr::begin_mask, Attr::end_mask, Attr::ellipsis_mask, Attr::new_axis_mask, Attr::shrink_axis_mask}) {
    attrs.set(mask, {DType::i64, {0}, {}});
  }
  const uint32_t position = graph.writer(id)->position;
  return graph.append({Op::strided_slice, {id, begin, end, step}, {}, attrs, position, {}, {}},
                      Tensor(graph.tensor(id)), shape);
}

// Of angles with one element per element of a pair, where ROTARY_EMBEDDING needs one per pair. Partners are
// adjacent if interleaved, otherwise half the last dimension apart.
bool partners_are_equal(const Rewriter& graph, TensorId id, bool interleaved) {
  for (std::optional<TensorId> from = id; from; from = computed_from(graph, *from)) {
    if (repeats(graph, *from, interleaved) || constant_partners(graph, *from, interleaved)) return true;
  }
  return false;
}

// The first elements of pairs with equal partners.
std::optional<TensorId> one_of_partners(Rewriter& graph, TensorId id, bool interleaved) {
  if (const auto parts = joined_last(graph, id); parts && !interleaved && (*parts)[0] == (*parts)[1])
    return (*parts)[0];
  Shape shape = graph.shape(id);
  if (const auto firsts = constant_partners(graph, id, interleaved)) {
    shape.back() /= 2;
    return graph.add_floats(Tensor(graph.tensor(id)), graph.tensor(id).name, shape, *firsts);
  }
  return sliced(graph, id, interleaved);
}

constexpr size_t kMinRank = 2, kMaxRank = 7;  // ranks supported by ROTARY_EMBEDDING

struct Slice {
  int64_t begin, step;
};

// The slice of the last dimension, if STRIDED_SLICE keeps all other dimensions complete.
std::optional<Slice> slice_of(const Rewriter& graph, const Node& node) {
  for (const Attr mask : {Attr::ellipsis_mask, Attr::new_axis_mask, Attr::shrink_axis_mask}) {
    if (node.attrs.integer(mask) != 0) return {};
  }
  const Shape &from = graph.shape(node.inputs[0]), &to = graph.shape(node.outputs[0]);
  const auto begin = graph.integers(node.inputs[1]), step = graph.integers(node.inputs[3]);
  const size_t rank = from.size();
  if (!begin || !step || rank == 0 || begin->size() != rank || step->size() != rank) return {};
  const int64_t masked = node.attrs.integer(Attr::begin_mask) & node.attrs.integer(Attr::end_mask);
  for (size_t d = 0; d + 1 < rank; ++d) {
    const bool is_whole = (masked >> d & 1) != 0 || (from[d] != kUnknown && from[d] == to[d]);
    if (!is_whole || (*step)[d] != 1) return {};
  }
  if ((node.attrs.integer(Attr::begin_mask) >> (rank - 1) & 1) != 0) return Slice{0, step->back()};
  return Slice{begin->back() < 0 ? begin->back() + from.back() : begin->back(), step->back()};
}

// The tensor whose pairs this contains the first (or second) elements of.
std::optional<TensorId> partners_of(const Rewriter& graph, TensorId id, bool second, bool interleaved) {
  const Node* node = graph.writer(id);
  if (node == nullptr || node->diagnosis || node->inputs.empty()) return {};
  const TensorId whole = node->inputs[0];
  const Shape &shape = graph.shape(whole), &part = graph.shape(id);
  if (shape.empty() || part.size() != shape.size() || part.back() < 1 || shape.back() != 2 * part.back())
    return {};
  if (node->op == Op::strided_slice) {
    const auto slice = slice_of(graph, *node);
    const int64_t begin = !second ? 0 : interleaved ? 1 : part.back();
    const bool fits = slice && slice->begin == begin && slice->step == (interleaved ? 2 : 1);
    return fits ? std::optional(whole) : std::nullopt;
  }
  const bool is_half = !interleaved && node->op == Op::split && node->outputs.size() == 2 &&
                       node->outputs[second ? 1 : 0] == id;
  return is_half ? std::optional(whole) : std::nullopt;
}

// x, if this contains its pairs as (-second, first).
struct RotatedPairs {
  TensorId x;
  bool interleaved;
};

// The same for parts with the negated second and the first elements.
std::optional<RotatedPairs> swapped(const Rewriter& graph, TensorId minus, TensorId first, bool interleaved) {
  const Node* negative = plain_writer(graph, minus, Op::neg);
  if (negative == nullptr) return {};
  const auto x = partners_of(graph, negative->inputs[0], true, interleaved);
  if (!x || partners_of(graph, first, false, interleaved) != x) return {};
  return RotatedPairs{*x, interleaved};
}

std::optional<RotatedPairs> swapped(const Rewriter& graph, TensorId id) {
  if (const auto parts = joined_last(graph, id)) return swapped(graph, (*parts)[0], (*parts)[1], false);
  const auto pairs = stacked_last(graph, id);
  if (!pairs) return {};
  const auto found = swapped(graph, (*pairs)[0], (*pairs)[1], true);
  return found && graph.shape(found->x) == graph.shape(id) ? found : std::nullopt;
}

// The factor of x, if the product is of x.
std::optional<TensorId> factor_of(const Node* product, TensorId x) {
  for (const size_t i : {0, 1}) {
    if (product->inputs[i] == x) return product->inputs[1 - i];
  }
  return {};
}

struct Rotation {
  RotatedPairs of;
  TensorId cos, sin;
};

std::optional<Rotation> rotation_of(const Rewriter& graph, const Node& sum) {
  for (const size_t i : {0, 1}) {
    const Node* product = plain_writer(graph, sum.inputs[i], Op::mul);
    const Node* other = plain_writer(graph, sum.inputs[1 - i], Op::mul);
    if (product == nullptr || other == nullptr) continue;
    for (const size_t k : {0, 1}) {
      const auto of = swapped(graph, product->inputs[k]);
      const auto cos = of ? factor_of(other, of->x) : std::nullopt;
      if (cos) return Rotation{*of, *cos, product->inputs[1 - k]};
    }
  }
  return {};
}

// Each dimension of the angles is that of x, or 1.
bool broadcasts(const Shape& angles, const Shape& shape) {
  if (angles.empty() || angles.size() > shape.size() || !is_static(angles)) return false;
  return std::equal(angles.rbegin(), angles.rend(), shape.rbegin(),
                    [](int64_t angle, int64_t length) { return angle == 1 || angle == length; });
}

// The tensor whose last dimension this contains from `begin` on.
std::optional<TensorId> sliced_from(const Rewriter& graph, TensorId id, int64_t begin) {
  const Node* node = graph.writer(id, Op::strided_slice);
  const auto slice = node != nullptr ? slice_of(graph, *node) : std::nullopt;
  return slice && slice->begin == begin && slice->step == 1 ? std::optional(node->inputs[0]) : std::nullopt;
}

// concat(rotated x[..., :n], x[..., n:]): only part of the elements is rotated.
bool take_rest(Rewriter& graph, NodeId id) {
  const Node node = *graph.node(id);
  const auto parts = joined_last(graph, node.outputs[0]);
  const Node* rotation = parts ? plain_writer(graph, (*parts)[0], Op::rotary_embedding) : nullptr;
  if (rotation == nullptr || !graph.is_read_once((*parts)[0])) return false;
  const auto x = sliced_from(graph, rotation->inputs[0], 0);
  const int64_t begin = graph.shape((*parts)[0]).back();
  if (!x || sliced_from(graph, (*parts)[1], begin) != x || graph.shape(*x) != graph.shape(node.outputs[0]) ||
      graph.shape(*x).back() == kUnknown || 2 * graph.shape(rotation->inputs[1]).back() != begin) {
    return false;
  }
  Node whole = *rotation;
  whole.inputs[0] = *x;
  whole.outputs = node.outputs;
  graph.replace(id, std::move(whole));
  return true;
}

}  // namespace

bool find_rotary_embedding(Rewriter& graph, NodeId id) {
  const Op op = graph.node(id)->op;
  if (op == Op::concat) return take_rest(graph, id);
  if (op != Op::add) return false;
  const Node node = *graph.node(id);
  if (!is_plain(graph, node)) return false;
  const auto found = rotation_of(graph, node);
  if (!found) return false;
  const auto [x, interleaved] = found->of;
  const Shape& shape = graph.shape(x);
  const Shape &cos = graph.shape(found->cos), &sin = graph.shape(found->sin);
  const bool fits = shape.size() >= kMinRank && shape.size() <= kMaxRank &&
                    shape == graph.shape(node.outputs[0]) && cos == sin && broadcasts(cos, shape) &&
                    cos.back() == shape.back();
  if (!fits || !partners_are_equal(graph, found->cos, interleaved) ||
      !partners_are_equal(graph, found->sin, interleaved)) {
    return false;
  }
  const auto half_cos = one_of_partners(graph, found->cos, interleaved),
             half_sin = one_of_partners(graph, found->sin, interleaved);
  if (!half_cos || !half_sin) return false;
  Attrs attrs;
  attrs.set(Attr::interleaved, {DType::boolean, {interleaved ? 1 : 0}, {}});
  graph.replace(
      id, {Op::rotary_embedding, {x, *half_cos, *half_sin}, node.outputs, attrs, node.position, {}, {}});
  return true;
}

}  // namespace nnrt::simplified
