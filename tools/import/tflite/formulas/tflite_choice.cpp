// Operators that select elements by position: along a sequence, and on the diagonal.
#include "tools/import/network/network_check.h"
#include "tools/import/tflite/tflite_operators.h"

#include <algorithm>

namespace nnrt::import::tflite {
namespace {

using enum BuiltinOperator;

constexpr int64_t kMaxPlaces = 1 << 24;  // limit for constant position tables

void reverse_sequence(Operator& op) {
  const auto& options = op.options<format::ReverseSequenceOptions>();
  const int32_t along = options.sequence_dimension(), batch = options.batch_dimension();
  const auto exists = [&](int32_t d) { return d >= 0 && static_cast<size_t>(d) < op.rank(op.input(0)); };
  if (!exists(along) || !exists(batch) || along == batch)
    op.damaged("has dimensions that its input does not have");
  op.deliver({.id = op.reversed_sequences(op.input(0), op.input(1), along, batch)});
}

// BOOL [rows, columns], true on the diagonal.
TensorId diagonal_mask(Operator& op, int32_t rows, int32_t columns) {
  if (int64_t{rows} * columns > kMaxPlaces) op.refuse("has a matrix of more than 16 Mi elements");
  Bytes mask(static_cast<size_t>(int64_t{rows} * columns));
  for (int64_t i = 0; i < std::min(rows, columns); ++i)
    mask[static_cast<size_t>(i * columns + i)] = std::byte{1};
  return op.build().constant(OH_NN_BOOL, {rows, columns}, std::move(mask));
}

void matrix_diag(Operator& op) {
  if (is_quantized(op.input_tensor(0))) op.refuse("is of a quantized tensor");
  const size_t rank = op.rank(op.input(0));
  if (rank < 1) op.damaged("needs an input of rank 1 or more");
  const int32_t size = op.length(op.input(0), rank - 1);
  const TensorId mask = diagonal_mask(op, size, size);
  const OH_NN_DataType type = op.input_tensor(0).type;
  const TensorId zero = op.build().constant(type, {}, Bytes(element_size(type)));
  op.write_to(op.result(), Op::where,
              {mask, op.unsqueeze(op.input(0), {static_cast<int64_t>(rank - 1)}), zero});
}

// The diagonal is as long as the shorter side.
void matrix_set_diag(Operator& op) {
  const size_t rank = op.rank(op.input(0));
  if (rank < 2 || op.rank(op.input(1)) != rank - 1) op.damaged("needs matrices and their diagonals");
  const int32_t rows = op.length(op.input(0), rank - 2), columns = op.length(op.input(0), rank - 1);
  const TensorId mask = diagonal_mask(op, rows, columns);
  const TensorId diagonal =
      op.unsqueeze(op.input(1), {static_cast<int64_t>(columns <= rows ? rank - 2 : rank - 1)});
  op.write_to(op.result(), Op::where, {mask, diagonal, op.input(0)});
}

constexpr Row kChoiceRows[] = {
    {REVERSE_SEQUENCE, 2, 2, Numbers::any, reverse_sequence},
    {MATRIX_DIAG, 1, 1, Numbers::any, matrix_diag},
    {MATRIX_SET_DIAG, 2, 2, Numbers::any, matrix_set_diag},
};

}  // namespace

std::span<const Row> choice_rows() { return kChoiceRows; }

}  // namespace nnrt::import::tflite
