#include "core/base/text.h"
#include "core/schema/geometry.h"

#include <algorithm>
#include <span>

namespace nnrt {
namespace {

Status require_equal_cells(std::optional<int64_t> cells, int64_t inner) {
  if (!cells || inner < 0 || *cells == inner) return {};
  return invalid("The elements from the axis on (", *cells, ") are not the weight's columns (", inner, ").");
}

// element_count() of a subrange of dimensions, without allocating: runs call it.
std::optional<int64_t> cells_in(std::span<const int64_t> dims) {
  int64_t count = 1;
  for (const int64_t dim : dims)
    if (dim < 0 || __builtin_mul_overflow(count, dim, &count)) return std::nullopt;
  return count;
}

Result<MatMul> full_connection(const NodeView& node) {
  const Shape& input = node.shape(0);
  const Shape& weight = node.shape(1);
  if (weight.size() != 2) return invalid("The rank of the weight (", weight.size(), ") is not 2.");
  NNRT_ASSIGN(const std::optional<size_t> axis, flattened_axis(node));
  const std::span<const int64_t> dims(input);
  const std::optional<int64_t> cells = cells_in(dims.subspan(axis.value_or(0)));

  MatMul work;
  work.columns = weight[0];
  work.inner = weight[1];
  work.transpose_b = true;
  if (axis) {
    NNRT_TRY(require_equal_cells(cells, work.inner));
    if (work.inner < 0) work.inner = cells.value_or(kUnknown);
    work.rows = cells_in(dims.first(*axis)).value_or(kUnknown);
    return work;
  }
  work.rows = kUnknown;
  if (!cells || work.inner < 0) return work;
  if (work.inner == 0) return invalid("The weight has 0 columns, so the number of rows is unknown.");
  if (*cells % work.inner != 0) {
    return invalid("The input's elements (", *cells, ") are not a multiple of the weight's columns (",
                   work.inner, ").");
  }
  work.rows = *cells / work.inner;
  return work;
}

// An operand of MATMUL as a batch of matrices, with NumPy's rule for vectors.
struct Operand {
  Shape batch;
  int64_t rows = 1, columns = 1;
};

Result<Operand> operand(const Shape& shape, bool transpose, bool is_left) {
  if (shape.empty()) return invalid("The rank of an operand (0) is below 1.");
  if (shape.size() == 1) {
    if (transpose) return invalid("An operand of rank 1 has no dimensions to transpose.");
    return is_left ? Operand{{}, 1, shape[0]} : Operand{{}, shape[0], 1};
  }
  Operand matrix{Shape(shape.begin(), shape.end() - 2), shape.end()[-2], shape.end()[-1]};
  if (transpose) std::swap(matrix.rows, matrix.columns);
  return matrix;
}

Result<MatMul> broadcast_matmul(const NodeView& node) {
  MatMul work;
  work.transpose_a = node.attrs().flag(Attr::transpose_a);
  work.transpose_b = node.attrs().flag(Attr::transpose_b);
  // A scalar counts as a vector of one element (R6).
  const Shape one{1};
  const Shape& shape_a = node.shape(0).empty() ? one : node.shape(0);
  const Shape& shape_b = node.shape(1).empty() ? one : node.shape(1);
  NNRT_ASSIGN(const Operand a, operand(shape_a, work.transpose_a, true));
  NNRT_ASSIGN(const Operand b, operand(shape_b, work.transpose_b, false));
  if (a.columns >= 0 && b.rows >= 0 && a.columns != b.rows) {
    return invalid("The inner dimensions (", a.columns, " and ", b.rows, ") differ.");
  }
  work.rows = a.rows;
  work.columns = b.columns;
  work.inner = std::max(a.columns, b.rows);
  NNRT_ASSIGN(work.batch, broadcast(a.batch, b.batch));
  if (is_static(a.batch) && is_static(b.batch)) {
    work.batch_stride_a = broadcast_strides(a.batch, work.batch);
    work.batch_stride_b = broadcast_strides(b.batch, work.batch);
  }
  return work;
}

}  // namespace

Result<std::optional<size_t>> flattened_axis(const NodeView& node) {
  const Attrs& attrs = node.attrs();
  const bool given = attrs.has(Attr::axis);
  const bool used = attrs.has(Attr::use_axis) ? attrs.flag(Attr::use_axis) : given;
  if (given && !used) return invalid("An axis is given, and USE_AXIS is false.");
  if (!used) return std::optional<size_t>();
  // A scalar has the axes of [1] (R6), but no dimension before or after them.
  const size_t rank = node.shape(0).size();
  NNRT_ASSIGN(const int64_t axis,
              normalize_axis(given ? attrs.integer(Attr::axis) : 0, std::max<size_t>(rank, 1)));
  return std::optional<size_t>(axis);
}

Result<MatMul> matmul_of(const NodeView& node) {
  return node.op() == Op::full_connection ? full_connection(node) : broadcast_matmul(node);
}

MatMul fold_batch(MatMul work) {
  if (work.transpose_a || work.batch.empty()) return work;
  const Collapsed batch = collapse(work.batch, std::vector{work.batch_stride_a, work.batch_stride_b});
  const int64_t count = product(batch.shape, 0, batch.shape.size());
  const bool is_dense = batch.shape.size() == 1 && batch.strides[0][0] == 1 && batch.strides[1][0] == 0;
  if (count != 1 && !is_dense) return work;
  work.rows *= count;
  work.batch.clear();
  work.batch_stride_a.clear();
  work.batch_stride_b.clear();
  return work;
}

}  // namespace nnrt
