// Indexed access.
#include "core/base/text.h"
#include "mindspore/lower/node_lowering.h"

namespace nnrt::mindspore {
namespace {

void lower_gather(Lowering& op) {
  const std::optional<Integers> axis = op.integers(2);
  op.emit_result({op.in(0), op.in(1), axis ? op.graph.integers(*axis) : op.in(2)});
}

// Elements along a dimension: data, dimension, indices.
void lower_gather_elements(Lowering& op) {
  const Integers axis = op.constant_integers(1, "dimension");
  if (axis.size() != 1) op.fail(invalid("The dimension has ", axis.size(), " elements."));
  op.emit_result({op.in(0), op.in(2)}, {{Attr::axis, axis[0]}});
}

// Several tables, and a limit of norms, are not supported.
void lower_embedding(Lowering& op) {
  if (op.input_count() != 2 || op.primitive.real("max_norm") != 0)
    op.refuse("An embedding of several tables, or with a limit of norms, is not supported.");
  op.emit_results(Op::gather, {op.in(0), op.in(1), op.graph.integers({0})});
}

// Three inputs have both values in the last one, off before on.
void lower_one_hot(Lowering& op) {
  const Settings settings = op.settings();
  const Value indices = op.in(0), depth = op.in(1);
  if (op.input_count() == 4) return op.emit_result({indices, depth, op.in(2), op.in(3)}, settings);
  const Value values = op.in(2);
  if (values.shape != Shape{2}) op.fail(invalid("The values are ", to_string(values.shape), ", not [2]."));
  op.emit_result({indices, depth, slice(op.graph, values, 0, 1, 1), slice(op.graph, values, 0, 0, 1)},
                 settings);
}

Value vector_in(Lowering& op, size_t i) {
  const std::optional<Integers> values = op.integers(i);
  return values ? op.graph.integers(*values) : op.in(i);
}

// Is this the constant shape of the result?
bool is_shape(Lowering& op, size_t i) {
  return op.has(i) && op.source(i).has_data() && op.source(i).dims.size() == 1 && op.integers(i).has_value();
}

// Shape, indices, updates; graphs made through OH_NN have indices, updates, shape. Indices are no vector.
void lower_scatter_nd(Lowering& op) {
  const bool is_first = op.in(0).rank() == 1;
  const size_t indices = is_first ? 1 : 0;
  op.emit_result({op.in(indices), op.in(indices + 1), vector_in(op, is_first ? 0 : 2)});
}

Value matrix_of_indices(Lowering& op, size_t i) {
  const Value indices = op.in(i);
  const auto count = element_count(indices.shape);
  if (indices.rank() >= 2 || !count) return indices;
  return reshape(op.graph, indices, {*count, 1});
}

// Indices, shape, values, default; graphs made through OH_NN have indices, values, shape.
void lower_sparse_to_dense(Lowering& op) {
  if (op.input_count() == 3) return op.emit_result({op.in(0), op.in(1), vector_in(op, 2)});
  if (!is_shape(op, 1)) op.refuse("The shape of the result is not constant.");
  const Value indices = matrix_of_indices(op, 0), shape = op.graph.integers(*op.integers(1)),
              values = op.in(2);
  const std::optional<float> fallback = op.real(3);
  if (fallback == 0.0f) return op.emit_result({indices, values, shape});
  const Value dense = op.emit(Op::sparse_to_dense, {indices, values, shape});
  const Value one = op.graph.number(DType::i32, 1);
  const Value written = op.graph.emit(Op::sparse_to_dense, {indices, one, shape}, {}, {DType::i32});
  op.emit_results(Op::where, {cast(op.graph, written, DType::boolean), dense, op.in(3)});
}

constexpr int64_t kReplace = 0, kAdd = 1;

void lower_scatter_update(Lowering& op) {
  const bool adds = op.primitive.type() == PrimitiveType::tensor_scatter_add;
  op.emit_result(op.inputs(), {{Attr::reduction, adds ? kAdd : kReplace}});
}

void lower_triangle(Lowering& op) {
  const bool is_upper = op.primitive.type() == PrimitiveType::triu;
  const Integers diagonal = op.has(1) ? op.constant_integers(1, "diagonal") : Integers{0};
  if (diagonal.size() != 1) op.fail(invalid("The diagonal has ", diagonal.size(), " elements."));
  op.emit_result({op.in(0)}, {{Attr::upper, is_upper}, {Attr::diagonal, diagonal[0]}});
}

}  // namespace

std::span<const LoweringRow> index_lowerings() {
  static constexpr LoweringRow kRows[] = {
      {PrimitiveType::embedding_lookup_fusion, 2, kMany, lower_embedding, Op::gather},
      {PrimitiveType::gather, 3, 3, lower_gather, Op::gather},
      {PrimitiveType::gather_d, 3, 3, lower_gather_elements, Op::gather_elements},
      {PrimitiveType::gather_nd, 2, 2, lower_plain, Op::gather_nd},
      {PrimitiveType::non_zero, 1, 1, lower_plain, Op::non_zero},
      {PrimitiveType::one_hot, 3, 4, lower_one_hot, Op::one_hot},
      {PrimitiveType::scatter_elements, 3, 3, lower_plain, Op::scatter_elements},
      {PrimitiveType::scatter_nd, 3, 3, lower_scatter_nd, Op::scatter_nd},
      {PrimitiveType::scatter_nd_update, 3, 3, lower_scatter_update, Op::scatter_nd_update},
      {PrimitiveType::sparse_to_dense, 3, 4, lower_sparse_to_dense, Op::sparse_to_dense},
      {PrimitiveType::tensor_scatter_add, 3, 3, lower_scatter_update, Op::scatter_nd_update},
      {PrimitiveType::tril, 1, 2, lower_triangle, Op::trilu},
      {PrimitiveType::triu, 1, 2, lower_triangle, Op::trilu},
  };
  return kRows;
}

}  // namespace nnrt::mindspore
