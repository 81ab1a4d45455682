// Gemms of matrices.
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

// With a constant matrix, of rank 2 or more; sometimes on the left.
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

// With itself transposed, scaled, and a softmax: attention.
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

}  // namespace

std::vector<Drawer> matmul_drawers() { return {{3, gemm}, {5, by_constant}, {2, attention}}; }

}  // namespace nnrt::test
