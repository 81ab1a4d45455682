// Finds ROTARY_EMBEDDING as exporters write it: x * cos + swapped * sin, where pairs (a, b) of x become (-b,
// a), and cos and sin are equal for both elements of a pair.
#include "core/passes/simplify/pattern_nodes.h"
#include "core/passes/simplify/rotary_angles.h"

#include <algorithm>

namespace nnrt::simplified {
namespace {

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
