// Nodes that do nothing, as exporters and people write them.
#include "tests/random_onnx/model_draft.h"

#include <limits>
#include <numeric>

namespace nnrt::test {
namespace {

// A shape that broadcasts to x: a single value, or one per channel or column.
Dimensions beside(Draft& draft, const Drawn& x) {
  std::vector<Dimensions> shapes{{}};
  if (x.rank() >= 1) shapes.push_back({1});
  if (x.rank() >= 1 && x.open != x.rank() - 1) shapes.push_back({x.shape.back()});
  if (x.rank() >= 1) shapes.push_back(Dimensions(x.rank(), 1));
  if (x.is_image()) shapes.insert(shapes.end(), {{x.shape[1], 1, 1}, {1, x.shape[1], 1, 1}});
  if (!x.open) shapes.push_back(x.shape);
  return draft.random.of(shapes);
}

bool arithmetic(Draft& draft, const Drawn& x) {
  const std::string type = draft.random.of<std::string>({"Mul", "Mul", "Div", "Add", "Sub", "Pow"});
  const bool zero = type == "Add" || type == "Sub";
  const std::string neutral = draft.filled(beside(draft, x), zero ? 0 : 1);
  const bool swaps = (type == "Mul" || type == "Add") && draft.random.one_in(3);
  draft.node(type, swaps ? Names{neutral, x.name} : Names{x.name, neutral}, x);
  return true;
}

bool identity(Draft& draft, const Drawn& x) {
  draft.node("Identity", {x.name}, x);
  return true;
}

bool dropout(Draft& draft, const Drawn& x) {
  draft.node("Dropout", {x.name}, x);
  return true;
}

// ONNX Runtime rejects models with a cast from FLOAT16 to itself.
bool cast(Draft& draft, const Drawn& x) {
  if (x.type == OnnxModel::kFloat16) return false;
  draft.node("Cast", {x.name}, x);
  draft.model.with("to", static_cast<int64_t>(x.type));
  return true;
}

bool same_shape(Draft& draft, const Drawn& x) {
  Dimensions shape = x.shape;
  if (x.open) shape[*x.open] = -1;
  if (!x.open && x.rank() > 0 && draft.random.one_in(3)) shape[draft.random.below(x.rank())] = -1;
  for (int64_t& length : shape) {
    if (draft.random.one_in(3)) length = 0;
  }
  draft.node("Reshape", {x.name, draft.integers(shape)}, x);
  return true;
}

bool same_order(Draft& draft, const Drawn& x) {
  if (x.rank() == 0) return false;
  Dimensions order(x.rank());
  std::iota(order.begin(), order.end(), int64_t{0});
  draft.node("Transpose", {x.name}, x);
  draft.model.with("perm", order);
  return true;
}

bool concat_of_one(Draft& draft, const Drawn& x) {
  if (x.rank() == 0) return false;
  draft.node("Concat", {x.name}, x);
  draft.model.with("axis", static_cast<int64_t>(draft.random.below(x.rank())));
  return true;
}

bool whole_slice(Draft& draft, const Drawn& x) {
  if (x.rank() == 0) return false;
  const auto axis = static_cast<int64_t>(draft.random.below(x.rank()));
  const int64_t end = draft.random.one_in(2) && x.open != axis ? x.shape[static_cast<size_t>(axis)]
                                                               : std::numeric_limits<int64_t>::max();
  draft.node("Slice", {x.name, draft.integers({0}), draft.integers({end}), draft.integers({axis})}, x);
  return true;
}

bool no_pad(Draft& draft, const Drawn& x) {
  if (x.rank() == 0) return false;
  draft.node("Pad", {x.name, draft.integers(Dimensions(2 * x.rank(), 0))}, x);
  return true;
}

bool wide_clip(Draft& draft, const Drawn& x) {
  if (draft.random.one_in(2)) {
    draft.node("Clip", {x.name}, x);
  } else {
    draft.node("Clip", {x.name, draft.scalar(-60000), draft.scalar(60000)}, x);
  }
  return true;
}

bool out_and_in(Draft& draft, const Drawn& x) {
  if (x.rank() >= 5) return false;
  const size_t axis = draft.random.below(x.rank() + 1);
  Dimensions shape = x.shape;
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), 1);
  const std::optional<size_t> open = x.open && *x.open >= axis ? std::optional(*x.open + 1) : x.open;
  const Dimensions axes{static_cast<int64_t>(axis)};
  const Drawn wide = draft.node("Unsqueeze", {x.name, draft.integers(axes)}, x.shaped(shape, open));
  draft.node("Squeeze", {wide.name, draft.integers(axes)}, x);
  return true;
}

// To one row and back.
bool flat_and_back(Draft& draft, const Drawn& x) {
  if (x.open) return false;
  const Drawn flat = draft.node("Reshape", {x.name, draft.integers({-1})}, x.shaped({x.count()}, {}));
  draft.node("Reshape", {flat.name, draft.integers(x.shape)}, x);
  return true;
}

bool expand_to_itself(Draft& draft, const Drawn& x) {
  Dimensions shape = x.shape;
  if (x.open) shape[*x.open] = 1;
  draft.node("Expand", {x.name, draft.integers(shape)}, x);
  return true;
}

bool tile_once(Draft& draft, const Drawn& x) {
  if (x.rank() == 0) return false;
  draft.node("Tile", {x.name, draft.integers(Dimensions(x.rank(), 1))}, x);
  return true;
}

bool mean_of_one(Draft& draft, const Drawn& x) {
  for (size_t d = 0; d < x.rank(); ++d) {
    if (x.shape[d] != 1 || x.open == d) continue;
    draft.node(draft.random.one_in(2) ? "ReduceMean" : "ReduceMax",
               {x.name, draft.integers({static_cast<int64_t>(d)})}, x);
    draft.model.with("keepdims", 1);
    return true;
  }
  return false;
}

bool pool_of_one(Draft& draft, const Drawn& x) {
  if (!x.is_image()) return false;
  draft.node(draft.random.one_in(2) ? "MaxPool" : "AveragePool", {x.name}, x);
  draft.model.with("kernel_shape", Dimensions{1, 1}).with("strides", Dimensions{1, 1});
  return true;
}

bool with_itself(Draft& draft, const Drawn& x) {
  draft.node(draft.random.one_in(2) ? "Max" : "Min", {x.name, x.name}, x);
  return true;
}

bool twice_negative(Draft& draft, const Drawn& x) {
  const Drawn negative = draft.node("Neg", {x.name}, x);
  draft.node("Neg", {negative.name}, x);
  return true;
}

bool same_size(Draft& draft, const Drawn& x) {
  if (!x.is_image()) return false;
  std::vector<float> scales(4, 1.0f);
  const std::string list =
      draft.raw("s", OnnxModel::kFloat32, {4}, {reinterpret_cast<const char*>(scales.data()), 16});
  draft.node("Resize", {x.name, "", list}, x);
  draft.model.with("mode", std::string(draft.random.one_in(2) ? "nearest" : "linear"));
  return true;
}

bool gather_all(Draft& draft, const Drawn& x) {
  if (x.rank() == 0) return false;
  const size_t axis = draft.random.below(x.rank());
  if (x.open == axis) return false;
  Dimensions indices(static_cast<size_t>(x.shape[axis]));
  std::iota(indices.begin(), indices.end(), int64_t{0});
  draft.node("Gather", {x.name, draft.integers(indices)}, x);
  draft.model.with("axis", static_cast<int64_t>(axis));
  return true;
}

}  // namespace

std::vector<Drawer> identity_drawers() {
  return {{8, arithmetic},  {2, identity},      {2, dropout},          {2, cast},      {3, same_shape},
          {2, same_order},  {1, concat_of_one}, {1, whole_slice},      {1, no_pad},    {2, wide_clip},
          {1, out_and_in},  {1, flat_and_back}, {1, expand_to_itself}, {1, tile_once}, {1, mean_of_one},
          {1, pool_of_one}, {1, with_itself},   {1, twice_negative},   {1, same_size}, {1, gather_all}};
}

}  // namespace nnrt::test
