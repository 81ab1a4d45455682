// Matrix products.
#include "tests/random_onnx/model_draft.h"

#include <cmath>

namespace nnrt::test {
namespace {

double max_of(int64_t terms) { return 1.7 / std::sqrt(static_cast<double>(terms)); }

bool gemm(Draft& draft, const Drawn& x) {
  if (x.rank() != 2 || x.open == 1u) return false;
  const bool transposed = draft.random.one_in(2), left = !x.open && draft.random.one_in(4);
  const int64_t inner = x.shape[left ? 0 : 1], rows = x.shape[left ? 1 : 0];
  const int64_t columns = any_channels(draft);
  const double max = max_of(inner);
  Names inputs{x.name,
               draft.floats(transposed ? Dimensions{columns, inner} : Dimensions{inner, columns}, -max, max)};
  std::vector<Dimensions> biases{{}, {1}, {columns}, {1, columns}};
  if (!x.open) biases.insert(biases.end(), {{rows, 1}, {rows, columns}});
  if (!draft.random.one_in(4)) inputs.push_back(draft.floats(draft.random.of(biases), -0.5, 0.5));
  Drawn made = x.mapped(x.scale + 0.5, 2);
  made.shape = {rows, columns};
  draft.node("Gemm", inputs, made);
  if (transposed) draft.model.with("transB", 1);
  if (left) draft.model.with("transA", 1);
  if (draft.random.one_in(4)) draft.model.with("alpha", 0.5).with("beta", 2.0);
  return true;
}

// With a constant matrix of rank 2 or more, occasionally on the left.
bool by_constant(Draft& draft, const Drawn& x) {
  if (x.rank() < 2) return false;
  const bool left = draft.random.one_in(4);
  const size_t axis = left ? x.rank() - 2 : x.rank() - 1;
  if (x.open == axis) return false;
  const int64_t inner = x.shape[axis], outer = any_channels(draft);
  Drawn made = x.mapped(x.scale, 2);
  made.shape[axis] = outer;
  if (!Draft::fits(made.shape)) return false;
  Dimensions matrix = left ? Dimensions{outer, inner} : Dimensions{inner, outer};
  if (x.rank() > 2 && draft.random.one_in(4)) {
    const int64_t batch = x.open == x.rank() - 3 || draft.random.one_in(2) ? 1 : x.shape[x.rank() - 3];
    matrix.insert(matrix.begin(), batch);
  }
  const std::string factor = draft.floats(matrix, -max_of(inner), max_of(inner));
  const Drawn y = draft.node("MatMul", left ? Names{factor, x.name} : Names{x.name, factor}, made);
  if (draft.random.one_in(2) && y.open != y.rank() - 1)
    draft.node("Add", {y.name, draft.floats({y.shape.back()}, -0.5, 0.5)}, y);
  return true;
}

// With itself transposed, a scale and a softmax: attention.
bool attention(Draft& draft, const Drawn& x) {
  if (x.rank() < 3 || x.open.value_or(0) != 0) return false;
  const size_t rank = x.rank();
  Dimensions order, scores = x.shape;
  for (size_t d = 0; d < rank; ++d) order.push_back(static_cast<int64_t>(d));
  std::swap(order[rank - 1], order[rank - 2]);
  scores[rank - 1] = x.shape[rank - 2];
  if (!Draft::fits(scores)) return false;
  const Drawn keys = draft.node("Transpose", {x.name}, x.shaped(permuted(x.shape, order), x.open));
  draft.model.with("perm", order);
  const auto terms = static_cast<double>(x.shape[rank - 1]);
  Drawn made = x.mapped(terms * x.scale * x.scale, 4 * terms * x.scale);
  made.shape = scores;
  const Drawn product = draft.node("MatMul", {x.name, keys.name}, made);
  const Drawn scaled = draft.node("Div", {product.name, draft.scalar(std::sqrt(terms))},
                                  product.mapped(product.scale / std::sqrt(terms), 1 / std::sqrt(terms)));
  const Drawn weights = draft.node("Softmax", {scaled.name}, scaled.mapped(1, 1));
  draft.model.with("axis", -1);
  Drawn result = x;
  result.error = 2 * (x.error + x.scale * weights.error);
  draft.node("MatMul", {weights.name, x.name}, result);
  return true;
}

// Half of the heads, each twice: shared keys and values.
Drawn repeated_heads(Draft& draft, const Drawn& x) {
  const Dimensions& shape = x.shape;
  const int64_t half = shape[1] / 2;
  const Drawn some =
      draft.node("Slice", {x.name, draft.integers({0}), draft.integers({half}), draft.integers({1})},
                 x.shaped({shape[0], half, shape[2], shape[3]}, {}));
  const Drawn apart = draft.node("Unsqueeze", {some.name, draft.integers({2})},
                                 some.shaped({shape[0], half, 1, shape[2], shape[3]}, {}));
  const Dimensions twice{shape[0], half, 2, shape[2], shape[3]};
  const Drawn repeated = draft.node("Expand", {apart.name, draft.integers(twice)}, apart.shaped(twice, {}));
  return draft.node("Reshape", {repeated.name, draft.integers(shape)}, repeated.shaped(shape, {}));
}

// Swaps the last two dimensions, possibly with batch and heads merged in between.
Drawn transposed_heads(Draft& draft, const Drawn& x) {
  const Dimensions& shape = x.shape;
  const Dimensions swapped{shape[0], shape[1], shape[3], shape[2]};
  if (draft.random.one_in(2)) {
    const Drawn made = draft.node("Transpose", {x.name}, x.shaped(swapped, {}));
    draft.model.with("perm", Dimensions{0, 1, 3, 2});
    return made;
  }
  const Dimensions flat{shape[0] * shape[1], shape[2], shape[3]};
  const Drawn matrices = draft.node("Reshape", {x.name, draft.integers(flat)}, x.shaped(flat, {}));
  const Drawn matrices_swapped =
      draft.node("Transpose", {matrices.name}, matrices.shaped({flat[0], flat[2], flat[1]}, {}));
  draft.model.with("perm", Dimensions{0, 2, 1});
  return draft.node("Reshape", {matrices_swapped.name, draft.integers(swapped)},
                    matrices_swapped.shaped(swapped, {}));
}

// As PyTorch exports it: shared keys and values, the scale on both sides, a guard against NaN.
bool grouped_attention(Draft& draft, const Drawn& x) {
  if (x.rank() != 4 || x.open || x.shape[1] % 2 != 0) return false;
  const Dimensions scores{x.shape[0], x.shape[1], x.shape[2], x.shape[2]};
  if (!Draft::fits(scores)) return false;
  const auto terms = static_cast<double>(x.shape[3]);
  const double scale = std::pow(terms, -0.25);
  const Drawn shared = repeated_heads(draft, x);
  const Drawn keys = transposed_heads(draft, shared);
  const Drawn scaled_keys =
      draft.node("Mul", {keys.name, draft.scalar(scale)}, keys.mapped(keys.scale * scale, scale));
  const Drawn queries = draft.node("Mul", {x.name, draft.scalar(scale)}, x.mapped(x.scale * scale, scale));
  Drawn made = queries.mapped(terms * queries.scale * queries.scale, 4 * terms * queries.scale);
  made.shape = scores;
  const Drawn product = draft.node("MatMul", {queries.name, scaled_keys.name}, made);
  const Drawn weights = draft.node("Softmax", {product.name}, product.mapped(1, 1));
  draft.model.with("axis", -1);
  Drawn truth = weights;
  truth.type = OnnxModel::kBool;
  const Drawn is_nan = draft.node("IsNaN", {weights.name}, truth);
  const Drawn guarded = draft.node("Where", {is_nan.name, draft.scalar(0), weights.name}, weights);
  Drawn result = x;
  result.error = 2 * (x.error + x.scale * weights.error);
  draft.node("MatMul", {guarded.name, shared.name}, result);
  return true;
}

}  // namespace

std::vector<Drawer> matmul_drawers() {
  return {{3, gemm}, {5, by_constant}, {2, attention}, {2, grouped_attention}};
}

}  // namespace nnrt::test
