// Transposes and reshapes.
#include "tests/random_onnx/model_draft.h"

#include <algorithm>
#include <numeric>

namespace nnrt::test {
namespace {

std::optional<size_t> moved(std::optional<size_t> open, const Dimensions& order) {
  if (!open) return {};
  return static_cast<size_t>(std::ranges::find(order, static_cast<int64_t>(*open)) - order.begin());
}

Drawn transpose(Draft& draft, const Drawn& x, const Dimensions& order) {
  Drawn made = draft.node("Transpose", {x.name}, x.shaped(permuted(x.shape, order), moved(x.open, order)));
  draft.model.with("perm", order);
  return made;
}

Dimensions any_order(Draft& draft, size_t rank) {
  if (rank == 4 && draft.random.one_in(2)) return {0, 2, 3, 1};
  if (rank == 4 && draft.random.one_in(2)) return {0, 3, 1, 2};
  if (rank == 3 && draft.random.one_in(2)) return {0, 2, 1};
  Dimensions order(rank);
  std::iota(order.begin(), order.end(), int64_t{0});
  draft.random.shuffle(order);
  return order;
}

bool transposed(Draft& draft, const Drawn& x) {
  if (x.rank() < 2) return false;
  transpose(draft, x, any_order(draft, x.rank()));
  return true;
}

// There and back by one or two transposes, with a shape-preserving node in between.
bool there_and_back(Draft& draft, const Drawn& x) {
  if (x.rank() < 2) return false;
  const Dimensions first = any_order(draft, x.rank());
  Drawn with_transpose = transpose(draft, x, first);
  Dimensions whole = first;
  if (draft.random.one_in(3)) {
    const Dimensions second = any_order(draft, x.rank());
    with_transpose = transpose(draft, with_transpose, second);
    whole = permuted(first, second);
  }
  const std::vector<Drawer> between = identity_drawers();
  for (int64_t i = draft.random.between(0, 2); i > 0; --i) {
    const bool drawn = draft.random.of(between).draw(draft, with_transpose);
    if (drawn && draft.values.back().shape == with_transpose.shape &&
        draft.values.back().open == with_transpose.open) {
      with_transpose = draft.values.back();
    }
  }
  transpose(draft, with_transpose, inverse(whole));
  return true;
}

// A reshape target with some sizes replaced by 0 or -1.
std::string target(Draft& draft, const Drawn& x, Dimensions shape, std::optional<size_t> open) {
  if (open) {
    shape[*open] = open == 0 && x.open == 0 && x.shape[0] == shape[0] && draft.random.one_in(2) ? 0 : -1;
  } else if (!shape.empty() && draft.random.one_in(3)) {
    shape[draft.random.below(shape.size())] = -1;
  }
  return draft.integers(shape);
}

// Merges two dimensions, or splits one.
bool reshaped(Draft& draft, const Drawn& x) {
  Dimensions shape = x.shape;
  std::optional<size_t> open = x.open;
  for (int64_t steps = draft.random.between(1, 2); steps > 0; --steps) {
    if (shape.empty()) {
      shape.push_back(1);
      continue;
    }
    const size_t d = draft.random.below(shape.size());
    if (draft.random.one_in(2) && d + 1 < shape.size()) {
      shape[d] *= shape[d + 1];
      shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(d) + 1);
      if (open && *open > d) --*open;
    } else if (shape.size() < 5 && open != d) {
      const int64_t part = draft.random.of<int64_t>({1, 2, 3, 5, shape[d]});
      if (shape[d] % part != 0) continue;
      shape[d] /= part;
      shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(d) + 1, part);
      if (open && *open > d) ++*open;
    }
  }
  if (shape == x.shape) return false;
  draft.node("Reshape", {x.name, target(draft, x, shape, open)}, x.shaped(shape, open));
  return true;
}

// [N, C, H, W] to [N, C, H * W] and similar, as in attention on images.
bool concat(Draft& draft, const Drawn& x) {
  if (!x.is_image()) return false;
  const Dimensions shape{x.shape[0], x.shape[1], x.shape[2] * x.shape[3]};
  draft.node("Reshape", {x.name, target(draft, x, shape, x.open)}, x.shaped(shape, x.open));
  return true;
}

bool flattened(Draft& draft, const Drawn& x) {
  if (x.rank() == 0) return false;
  const size_t axis = draft.random.one_in(2) && x.rank() > 1 ? 1 : draft.random.below(x.rank() + 1);
  const Dimensions shape{product(x.shape, 0, axis), product(x.shape, axis, x.rank())};
  const std::optional<size_t> open = x.open ? std::optional<size_t>(*x.open < axis ? 0 : 1) : std::nullopt;
  draft.node("Flatten", {x.name}, x.shaped(shape, open));
  draft.model.with("axis", static_cast<int64_t>(axis));
  return true;
}

bool squeezed(Draft& draft, const Drawn& x) {
  Dimensions axes, shape;
  std::optional<size_t> open;
  for (size_t d = 0; d < x.rank(); ++d) {
    if (x.shape[d] == 1 && x.open != d && draft.random.one_in(2)) {
      axes.push_back(static_cast<int64_t>(d));
    } else {
      if (x.open == d) open = shape.size();
      shape.push_back(x.shape[d]);
    }
  }
  if (axes.empty()) return false;
  draft.node("Squeeze", {x.name, draft.integers(axes)}, x.shaped(shape, open));
  return true;
}

bool unsqueezed(Draft& draft, const Drawn& x) {
  if (x.rank() >= 5) return false;
  const size_t axis = draft.random.below(x.rank() + 1);
  Dimensions shape = x.shape;
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), 1);
  const std::optional<size_t> open = x.open && *x.open >= axis ? std::optional(*x.open + 1) : x.open;
  draft.node("Unsqueeze", {x.name, draft.integers({static_cast<int64_t>(axis)})}, x.shaped(shape, open));
  return true;
}

// By a computed shape, as exporters write it for a dynamic batch.
bool reshaped_by_shape(Draft& draft, const Drawn& x) {
  if (x.rank() < 2 || x.open.value_or(0) != 0) return false;
  const std::string shape = draft.constant_node("Shape", {x.name});
  const std::string first = draft.constant_node("Slice", {shape, draft.integers({0}), draft.integers({1})});
  Dimensions rest{product(x.shape, 1, x.rank())};
  if (x.rank() == 4 && draft.random.one_in(2)) rest = {x.shape[1], x.shape[2] * x.shape[3]};
  Dimensions result{x.shape[0]};
  result.insert(result.end(), rest.begin(), rest.end());
  if (draft.random.one_in(2)) rest.back() = -1;
  const std::string target = draft.constant_node("Concat", {first, draft.integers(rest)});
  draft.model.with("axis", 0);
  draft.node("Reshape", {x.name, target}, x.shaped(result, x.open));
  return true;
}

// Splits dimensions by a reshape, transposes, and merges them into `result`.
void rearranged(Draft& draft, const Drawn& x, const Dimensions& shape, const Dimensions& order,
                const Dimensions& result) {
  const auto reshape = [&](const Drawn& from, Dimensions to) {
    const Drawn made = from.shaped(to, x.open);
    if (x.open) to[0] = -1;
    return draft.node("Reshape", {from.name, draft.integers(to)}, made);
  };
  reshape(transpose(draft, reshape(x, shape), order), result);
}

// ShuffleNet's channel shuffle.
bool shuffled(Draft& draft, const Drawn& x) {
  if (!x.is_image() || x.shape[1] % 2 != 0) return false;
  const int64_t part = x.shape[1] / 2;
  rearranged(draft, x, {x.shape[0], 2, part, x.shape[2], x.shape[3]}, {0, 2, 1, 3, 4}, x.shape);
  return true;
}

// A Swin transformer's window partition: 2 x 2 windows, in rank 6.
bool in_spatial(Draft& draft, const Drawn& x) {
  if (!x.is_image() || x.open || x.shape[1] % 2 != 0 || x.shape[2] % 2 != 0) return false;
  const int64_t rows = x.shape[1] / 2, columns = x.shape[2] / 2;
  rearranged(draft, x, {x.shape[0], rows, 2, columns, 2, x.shape[3]}, {0, 1, 3, 2, 4, 5},
             {x.shape[0] * rows * columns, 4, x.shape[3]});
  return true;
}

}  // namespace

std::vector<Drawer> data_movement_drawers() {
  return {{7, transposed}, {8, there_and_back}, {5, reshaped},          {2, concat},   {1, flattened},
          {2, squeezed},   {2, unsqueezed},     {1, reshaped_by_shape}, {1, shuffled}, {1, in_spatial}};
}

}  // namespace nnrt::test
