#include "core/passes/simplify/rotary_angles.h"

#include "core/passes/simplify/pattern_nodes.h"
#include "core/schema/schema.h"

#include <algorithm>

namespace nnrt::simplified {
namespace {

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

// The reshape that merges a trailing dimension of pairs into the one before it.
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

}  // namespace

std::optional<Parts> joined_last(const Rewriter& graph, TensorId id) {
  const Node* concat = plain_writer(graph, id, Op::concat);
  if (concat == nullptr || concat->inputs.size() != 2) return {};
  const int64_t axis = concat->attrs.integer(Attr::axis);
  if (axis != -1 && axis != int64_t(graph.shape(id).size()) - 1) return {};
  return Parts{concat->inputs[0], concat->inputs[1]};
}

std::optional<Parts> stacked_last(const Rewriter& graph, TensorId id) {
  const Node* pairs = reshaped_pairs(graph, id);
  const auto parts = pairs != nullptr ? joined_last(graph, pairs->inputs[0]) : std::nullopt;
  if (!parts) return {};
  const auto first = without_last(graph, (*parts)[0]), second = without_last(graph, (*parts)[1]);
  return first && second ? std::optional(Parts{*first, *second}) : std::nullopt;
}

bool partners_are_equal(const Rewriter& graph, TensorId id, bool interleaved) {
  for (std::optional<TensorId> from = id; from; from = computed_from(graph, *from)) {
    if (repeats(graph, *from, interleaved) || constant_partners(graph, *from, interleaved)) return true;
  }
  return false;
}

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

}  // namespace nnrt::simplified
