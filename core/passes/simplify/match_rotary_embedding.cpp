// ROTARY_EMBEDDING as exporters write it out: x * cos + concat(-second half, first half) * sin, where both
// halves of cos are the same, and those of sin.
#include "core/passes/simplify/pattern_nodes.h"
#include "core/schema/schema.h"

#include <algorithm>

namespace nnrt::simplified {
namespace {

constexpr size_t kMinRank = 2, kMaxRank = 7;  // of what ROTARY_EMBEDDING takes

// Where this is STRIDED_SLICE that takes elements of the last dimension alone, from one on: which.
std::optional<int64_t> begin_of_slice(const Rewriter& graph, const Node& slice) {
  for (const Attr mask : {Attr::ellipsis_mask, Attr::new_axis_mask, Attr::shrink_axis_mask}) {
    if (slice.attrs.integer(mask) != 0) return {};
  }
  const Shape &from = graph.shape(slice.inputs[0]), &to = graph.shape(slice.outputs[0]);
  const auto begin = graph.integers(slice.inputs[1]), step = graph.integers(slice.inputs[3]);
  const size_t rank = from.size();
  if (!begin || !step || rank == 0 || begin->size() != rank || step->size() != rank) return {};
  if (std::ranges::count(*step, 1) != std::ptrdiff_t(rank)) return {};
  const int64_t masked = slice.attrs.integer(Attr::begin_mask) & slice.attrs.integer(Attr::end_mask);
  for (size_t d = 0; d + 1 < rank; ++d) {
    const bool is_whole = (masked >> d & 1) != 0 || (from[d] != kUnknown && from[d] == to[d]);
    if (!is_whole) return {};
  }
  if ((slice.attrs.integer(Attr::begin_mask) >> (rank - 1) & 1) != 0) return 0;
  return begin->back() < 0 ? begin->back() + from.back() : begin->back();
}

// The tensor of whose last dimension this is the first half, or the second.
std::optional<TensorId> half_of(const Rewriter& graph, TensorId id, bool second) {
  const Node* node = graph.writer(id);
  if (node == nullptr || node->diagnosis || node->inputs.empty()) return {};
  const TensorId whole = node->inputs[0];
  const Shape &shape = graph.shape(whole), &part = graph.shape(id);
  if (shape.empty() || part.size() != shape.size() || part.back() < 1 || shape.back() != 2 * part.back())
    return {};
  if (node->op == Op::strided_slice) {
    return begin_of_slice(graph, *node) == (second ? part.back() : 0) ? std::optional(whole) : std::nullopt;
  }
  const bool is_half =
      node->op == Op::split && node->outputs.size() == 2 && node->outputs[second ? 1 : 0] == id;
  return is_half ? std::optional(whole) : std::nullopt;
}

bool joins_last(const Rewriter& graph, const Node& concat) {
  const int64_t axis = concat.attrs.integer(Attr::axis);
  return axis == -1 || axis == int64_t(graph.shape(concat.outputs[0]).size()) - 1;
}

// x where this is concat(-second half of x, first half of x).
std::optional<TensorId> turned(const Rewriter& graph, TensorId id) {
  const Node* concat = plain_writer(graph, id, Op::concat);
  if (concat == nullptr || concat->inputs.size() != 2 || !joins_last(graph, *concat)) return {};
  const Node* negative = plain_writer(graph, concat->inputs[0], Op::neg);
  if (negative == nullptr) return {};
  const auto x = half_of(graph, negative->inputs[0], true);
  return x && half_of(graph, concat->inputs[1], false) == x ? x : std::nullopt;
}

// The first halves of a constant's rows, where the second ones are the same.
std::optional<std::vector<double>> equal_halves(const Rewriter& graph, TensorId id) {
  const auto values = graph.floats(id);
  const Shape& shape = graph.shape(id);
  if (!values || shape.empty() || shape.back() < 2 || shape.back() % 2 != 0) return {};
  const auto length = shape.back(), pairs = length / 2;
  std::vector<double> halves;
  for (auto row = values->begin(); row != values->end(); row += length) {
    if (!std::equal(row, row + pairs, row + pairs)) return {};
    halves.insert(halves.end(), row, row + pairs);
  }
  return halves;
}

// The tensor of which both halves of this are.
std::optional<TensorId> repeated(const Rewriter& graph, TensorId id) {
  const Node* concat = plain_writer(graph, id, Op::concat);
  const bool is_twice = concat != nullptr && concat->inputs.size() == 2 &&
                        concat->inputs[0] == concat->inputs[1] && joins_last(graph, *concat);
  return is_twice ? std::optional(concat->inputs[0]) : std::nullopt;
}

// The tensor from which this was computed in such a way that halves which are the same stay so.
std::optional<TensorId> computed_from(const Rewriter& graph, TensorId id) {
  const Node* node = graph.writer(id);
  if (node == nullptr || node->diagnosis || node->outputs.size() != 1 || node->inputs.empty()) return {};
  if (schema(node->op).family == Family::unary) return node->inputs[0];
  const Shape& from = graph.shape(node->inputs[0]);
  const bool keeps_rows = (node->op == Op::reshape || node->op == Op::unsqueeze || node->op == Op::squeeze) &&
                          !from.empty() && from.back() == graph.shape(id).back();
  if (keeps_rows) return node->inputs[0];
  if (node->op != Op::mul) return {};
  for (const size_t i : {0, 1}) {
    if (element_count(graph.shape(node->inputs[i])) == 1) return node->inputs[1 - i];
  }
  return {};
}

bool has_equal_halves(const Rewriter& graph, TensorId id) {
  for (std::optional<TensorId> from = id; from; from = computed_from(graph, *from)) {
    if (repeated(graph, *from) || equal_halves(graph, *from)) return true;
  }
  return false;
}

// The first elements of each row.
TensorId sliced(Rewriter& graph, TensorId id, int64_t count) {
  Shape shape = graph.shape(id);
  const auto rank = int64_t(shape.size());
  const Tensor list{"", DType::i64, Format::none, {rank}, {}, 0, {}};
  std::vector<int64_t> ends(shape.begin(), shape.end());
  shape.back() = ends.back() = count;
  const TensorId begin = graph.add_integers(list, {rank}, std::vector<int64_t>(size_t(rank), 0)),
                 end = graph.add_integers(list, {rank}, ends),
                 step = graph.add_integers(list, {rank}, std::vector<int64_t>(size_t(rank), 1));
  Attrs attrs;
  for (const Attr mask :
       {Attr::begin_mask, Attr::end_mask, Attr::ellipsis_mask, Attr::new_axis_mask, Attr::shrink_axis_mask}) {
    attrs.set(mask, {DType::i64, {0}, {}});
  }
  const uint32_t position = graph.writer(id)->position;
  return graph.append({Op::strided_slice, {id, begin, end, step}, {}, attrs, position, {}, {}},
                      Tensor(graph.tensor(id)), shape);
}

// One half of angles of which both are the same.
std::optional<TensorId> half_of_angles(Rewriter& graph, TensorId id) {
  if (const auto half = repeated(graph, id)) return half;
  Shape shape = graph.shape(id);
  if (const auto halves = equal_halves(graph, id)) {
    shape.back() /= 2;
    return graph.add_floats(Tensor(graph.tensor(id)), graph.tensor(id).name, shape, *halves);
  }
  return sliced(graph, id, shape.back() / 2);
}

// x * cos, where x is the same as of the other term.
std::optional<TensorId> factor_of(const Node* product, TensorId x) {
  for (const size_t i : {0, 1}) {
    if (product->inputs[i] == x) return product->inputs[1 - i];
  }
  return {};
}

struct Rotation {
  TensorId x, cos, sin;
};

std::optional<Rotation> rotation_of(const Rewriter& graph, const Node& sum) {
  for (const size_t i : {0, 1}) {
    const Node* product = plain_writer(graph, sum.inputs[i], Op::mul);
    const Node* other = plain_writer(graph, sum.inputs[1 - i], Op::mul);
    if (product == nullptr || other == nullptr) continue;
    for (const size_t k : {0, 1}) {
      const auto x = turned(graph, product->inputs[k]);
      const auto cos = x ? factor_of(other, *x) : std::nullopt;
      if (cos) return Rotation{*x, *cos, product->inputs[1 - k]};
    }
  }
  return {};
}

// Dimensions of angles are those of x, or 1.
bool broadcasts(const Shape& angles, const Shape& shape) {
  if (angles.empty() || angles.size() > shape.size() || !is_static(angles)) return false;
  return std::equal(angles.rbegin(), angles.rend(), shape.rbegin(),
                    [](int64_t angle, int64_t length) { return angle == 1 || angle == length; });
}

}  // namespace

bool find_rotary_embedding(Rewriter& graph, NodeId id) {
  const Node node = *graph.node(id);
  if (node.op != Op::add || !is_plain(graph, node)) return false;
  const auto found = rotation_of(graph, node);
  if (!found) return false;
  const Shape& shape = graph.shape(found->x);
  const Shape &cos = graph.shape(found->cos), &sin = graph.shape(found->sin);
  const bool fits = shape.size() >= kMinRank && shape.size() <= kMaxRank &&
                    shape == graph.shape(node.outputs[0]) && cos == sin && broadcasts(cos, shape) &&
                    cos.back() == shape.back();
  if (!fits) return false;
  if (!has_equal_halves(graph, found->cos) || !has_equal_halves(graph, found->sin)) return false;
  const auto half_cos = half_of_angles(graph, found->cos), half_sin = half_of_angles(graph, found->sin);
  if (!half_cos || !half_sin) return false;
  Attrs attrs;
  attrs.set(Attr::interleaved, {DType::boolean, {0}, {}});
  graph.replace(
      id,
      {Op::rotary_embedding, {found->x, *half_cos, *half_sin}, node.outputs, attrs, node.position, {}, {}});
  return true;
}

}  // namespace nnrt::simplified
