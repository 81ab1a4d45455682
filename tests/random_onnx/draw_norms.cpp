// Normalizations, softmax and reductions, as single nodes and decomposed. Divisions by a deviation have a
// large epsilon, so that differences stay small when all elements are nearly equal.
#include "tests/random_onnx/model_draft.h"

#include <algorithm>

namespace nnrt::test {
namespace {

constexpr double kEpsilons[] = {0.25, 0.1, 0.03};

// Results are about 1; a difference grows by at most 1 / sqrt(epsilon), and with the scale of the factors.
Drawn normalized(const Drawn& x, double epsilon) { return x.mapped(1.5, 2 / std::max(0.3, epsilon + 0.2)); }

double draw_epsilon(Draft& draft) { return kEpsilons[draft.random.below(3)]; }

bool has_channels(const Drawn& x) { return x.rank() >= 2 && x.open.value_or(0) == 0; }

bool batch_norm(Draft& draft, const Drawn& x) {
  if (!has_channels(x)) return false;
  const Dimensions one_each{x.shape[1]};
  const Names inputs{x.name, draft.floats(one_each, 0.5, 1.5), draft.floats(one_each, -0.5, 0.5),
                     draft.floats(one_each, -0.5, 0.5), draft.floats(one_each, 0.5, 1.5)};
  draft.node("BatchNormalization", inputs, x.mapped(x.scale * 1.3 + 0.5, 2));
  draft.model.with("epsilon", 1e-3);
  return true;
}

bool instance_norm(Draft& draft, const Drawn& x) {
  if (!has_channels(x) || x.rank() < 3) return false;
  const Dimensions one_each{x.shape[1]};
  const double epsilon = draw_epsilon(draft);
  const Names inputs{x.name, draft.floats(one_each, 0.5, 1.5), draft.floats(one_each, -0.5, 0.5)};
  draft.node("InstanceNormalization", inputs, normalized(x, epsilon));
  draft.model.with("epsilon", epsilon);
  return true;
}

bool layer_norm(Draft& draft, const Drawn& x) {
  if (x.rank() < 2) return false;
  const size_t axis = draft.random.one_in(3)
                          ? static_cast<size_t>(draft.random.between(1, static_cast<int64_t>(x.rank()) - 1))
                          : x.rank() - 1;
  if (x.open && *x.open >= axis) return false;
  const Dimensions rest(x.shape.begin() + static_cast<std::ptrdiff_t>(axis), x.shape.end());
  const double epsilon = draw_epsilon(draft);
  Names inputs{x.name, draft.floats(rest, 0.5, 1.5)};
  if (!draft.random.one_in(4)) inputs.push_back(draft.floats(rest, -0.5, 0.5));
  draft.node("LayerNormalization", inputs, normalized(x, epsilon));
  draft.model.with("axis", either_end(draft, axis, x.rank())).with("epsilon", epsilon);
  return true;
}

bool local_response(Draft& draft, const Drawn& x) {
  if (!x.is_image()) return false;
  draft.node("LRN", {x.name}, x.mapped(x.scale, 2));
  draft.model.with("size", draft.random.of<int64_t>({1, 3, 5})).with("alpha", 0.5).with("beta", 0.75);
  return true;
}

Drawn reduced(const Drawn& x, const Dimensions& axes, bool keep) {
  Dimensions shape;
  std::optional<size_t> open;
  for (size_t d = 0; d < x.rank(); ++d) {
    const bool gone = std::ranges::count(axes, static_cast<int64_t>(d)) > 0;
    if (gone && !keep) continue;
    if (x.open == d && !gone) open = shape.size();
    shape.push_back(gone ? 1 : x.shape[d]);
  }
  return x.shaped(shape, open);
}

Drawn mean(Draft& draft, const Drawn& x, const Dimensions& axes) {
  Drawn made = draft.node("ReduceMean", {x.name, draft.integers(axes)}, reduced(x, axes, true));
  draft.model.with("keepdims", 1);
  return made;
}

// Over image channels or the last dimension; factors as [C, 1, 1], [1, C, 1, 1] or [W].
bool norm_in_pieces(Draft& draft, const Drawn& x) {
  if (x.rank() < 2) return false;
  const bool channels = x.rank() == 4 && draft.random.one_in(2);
  const size_t axis = channels ? 1 : x.rank() - 1;
  if (x.open == axis) return false;
  const Dimensions axes{static_cast<int64_t>(axis)};
  const double epsilon = draw_epsilon(draft);
  Drawn centered = x;
  if (!draft.random.one_in(3)) {  // otherwise RMS norm
    centered = draft.node("Sub", {x.name, mean(draft, x, axes).name}, x.mapped(x.scale, 2));
  }
  const Drawn square = draft.random.one_in(2) ? draft.node("Pow", {centered.name, draft.scalar(2)},
                                                           centered.mapped(x.scale * x.scale, 2 * x.scale))
                                              : draft.node("Mul", {centered.name, centered.name},
                                                           centered.mapped(x.scale * x.scale, 2 * x.scale));
  const Drawn variance = mean(draft, square, axes);
  const Drawn sum = draft.node("Add", {variance.name, draft.scalar(epsilon)}, variance);
  const Drawn root = draft.node("Sqrt", {sum.name}, sum.mapped(x.scale, 1));
  const Drawn y = draft.node("Div", {centered.name, root.name}, normalized(x, epsilon));
  Dimensions factors{x.shape[axis]};
  if (channels)
    factors = draft.random.one_in(2) ? Dimensions{x.shape[1], 1, 1} : Dimensions{1, x.shape[1], 1, 1};
  const Drawn scaled = draft.node("Mul", {y.name, draft.floats(factors, 0.5, 1.5)}, y.mapped(1.5, 1.3));
  draft.node("Add", {scaled.name, draft.floats(factors, -0.5, 0.5)}, scaled);
  return true;
}

// As PyTorch exports it: INSTANCE_NORM with groups as channels, then per-channel factors.
bool group_norm_in_pieces(Draft& draft, const Drawn& x) {
  if (!has_channels(x) || x.rank() < 3 || x.shape[1] % 2 != 0) return false;
  const int64_t groups = draft.random.one_in(2) ? 2 : x.shape[1];
  const double epsilon = draw_epsilon(draft);
  const Dimensions rows{x.shape[0], groups, product(x.shape, 1, x.rank()) / groups};
  const Drawn grouped =
      draft.node("Reshape", {x.name, draft.integers({0, groups, -1})}, x.shaped(rows, x.open));
  const Names inputs{grouped.name, draft.filled({groups}, 1), draft.filled({groups}, 0)};
  const Drawn normal = draft.node("InstanceNormalization", inputs, normalized(grouped, epsilon));
  draft.model.with("epsilon", epsilon);
  Dimensions back = x.shape, factors(x.rank() - 1, 1);
  back[0] = 0;
  factors[0] = x.shape[1];
  const Drawn y = draft.node("Reshape", {normal.name, draft.integers(back)}, normal.shaped(x.shape, x.open));
  const Drawn scaled = draft.node("Mul", {y.name, draft.floats(factors, 0.5, 1.5)}, y.mapped(1.5, 1.3));
  draft.node("Add", {scaled.name, draft.floats(factors, -0.5, 0.5)}, scaled);
  return true;
}

// Vectors of at least half a unit, so that dividing by their length is safe; the same much smaller, or zeros.
bool lp_norm(Draft& draft, const Drawn& x) {
  if (x.rank() == 0) return false;
  const size_t axis = draft.random.below(x.rank());
  if (x.open == axis) return false;
  const Drawn size = draft.node("Abs", {x.name}, x);
  const Drawn away = draft.node("Add", {size.name, draft.scalar(0.5)}, size.mapped(x.scale + 0.5, 1));
  const double factor = draft.random.of<double>({1, 1, 1e-17, 0});
  const bool is_small = factor != 1;
  const std::string given =
      is_small ? draft.node("Mul", {away.name, draft.scalar(factor)}, away.mapped(1e-17, factor)).name
               : away.name;
  draft.node("LpNormalization", {given}, away.mapped(1, 4));
  draft.model.with("axis", either_end(draft, axis, x.rank())).with("p", draft.random.of<int64_t>({1, 2, 2}));
  return true;
}

bool softmax(Draft& draft, const Drawn& x) {
  if (x.rank() == 0) return false;
  const size_t axis = x.rank() >= 2 && draft.random.one_in(2) ? 1 : draft.random.below(x.rank());
  if (x.open == axis) return false;
  const bool log = draft.random.one_in(4);
  draft.node(log ? "LogSoftmax" : "Softmax", {x.name}, x.mapped(log ? 2 * x.scale + 2 : 1, 2));
  draft.model.with("axis", either_end(draft, axis, x.rank()));
  return true;
}

bool reduction(Draft& draft, const Drawn& x) {
  Dimensions axes;
  int64_t count = 1;
  for (size_t d = 0; d < x.rank(); ++d) {
    if (x.open != d && draft.random.one_in(2)) {
      axes.push_back(static_cast<int64_t>(d));
      count *= x.shape[d];
    }
  }
  if (axes.empty()) return false;
  const bool keep = draft.random.one_in(2);
  const std::string type =
      draft.random.of<std::string>({"ReduceMean", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceSum",
                                    "ReduceL1", "ReduceL2", "ReduceLogSumExp"});
  const bool sums = type == "ReduceSum" || type == "ReduceL1" || type == "ReduceL2";
  if (sums && count > 8) return false;
  const auto growth = sums ? static_cast<double>(count) : type == "ReduceLogSumExp" ? 2.0 : 1.0;
  draft.node(type, {x.name, draft.integers(axes)}, reduced(x, axes, keep).mapped(x.scale * growth, growth));
  draft.model.with("keepdims", keep ? 1 : 0);
  return true;
}

}  // namespace

std::vector<Drawer> norm_drawers() {
  return {{3, batch_norm}, {3, instance_norm}, {3, layer_norm},     {3, norm_in_pieces},      {1, lp_norm},
          {3, softmax},    {3, reduction},     {1, local_response}, {2, group_norm_in_pieces}};
}

}  // namespace nnrt::test
