// Transforms to complex numbers, kept as pairs of floats until a real number is computed from them.
#include "tools/import/tflite/tflite_operators.h"

#include <cmath>
#include <numbers>

namespace nnrt::import::tflite {
namespace {

using enum BuiltinOperator;

struct Complex {
  TensorId real = 0, imaginary = 0;
};

constexpr int64_t kMaxElements = int64_t{1} << 22;  // limit for a DFT matrix

// exp(-2 pi i row column / length), [rows, columns].
Complex waves(Operator& op, int32_t length, int32_t rows, int32_t columns) {
  const auto matrix = [&](bool is_real) {
    List<float> values;
    values.reserve(static_cast<size_t>(int64_t{rows} * columns));
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t column = 0; column < columns; ++column) {
        const double angle = 2 * std::numbers::pi * static_cast<double>(row * column % length) / length;
        values.push_back(static_cast<float>(is_real ? std::cos(angle) : -std::sin(angle)));
      }
    }
    return op.build().constant<float>({rows, columns}, values);
  };
  return {matrix(true), matrix(false)};
}

// Transform lengths: extra rows and columns are dropped, missing ones are zero.
struct Lengths {
  int32_t height = 0, width = 0;

  int32_t bins() const { return width / 2 + 1; }
};

Lengths lengths_of(const Operator& op) {
  const List<int64_t> given = op.integers(1, 2);
  for (const int64_t length : given)
    if (length < 1 || length > kMaxElements)
      op.refuse("transforms a length (", length, ") outside [1, 4194304]");
  const Lengths lengths{static_cast<int32_t>(given[0]), static_cast<int32_t>(given[1])};
  const int64_t height = lengths.height, width = lengths.width;
  if (width * lengths.bins() > kMaxElements || height * height > kMaxElements)
    op.refuse("transforms ", height, " x ", width, " elements, for which a matrix product is too large");
  return lengths;
}

void rfft_2d(Operator& op) {
  const Lengths lengths = lengths_of(op);
  if (!op.output_slot().imaginary) op.damaged("makes no complex numbers");
  const TensorId real = op.output(), imaginary = *op.output_slot().imaginary;
  TensorId x = op.operand(0);
  const size_t rank = op.rank(x);
  if (rank < 2) op.damaged("needs an input of rank 2 or more");
  const int32_t rows = std::min(op.length(x, rank - 2), lengths.height),
                columns = std::min(op.length(x, rank - 1), lengths.width);
  if (rows < op.length(x, rank - 2)) x = op.slice(x, rank - 2, 0, rows);
  if (columns < op.length(x, rank - 1)) x = op.slice(x, rank - 1, 0, columns);
  const Complex along = waves(op, lengths.width, columns, lengths.bins());
  if (lengths.height == 1) {
    op.write_to(real, Op::matmul, {x, along.real});
    return op.write_to(imaginary, Op::matmul, {x, along.imaginary});
  }
  const TensorId a = op.matmul(x, along.real), b = op.matmul(x, along.imaginary);
  const Complex across = waves(op, lengths.height, lengths.height, rows);
  op.write_to(real, Op::sub, {op.matmul(across.real, a), op.matmul(across.imaginary, b)});
  op.write_to(imaginary, Op::add, {op.matmul(across.real, b), op.matmul(across.imaginary, a)});
}

// Dividing by the larger part avoids overflow of the squares. If that part is 0 or infinite (equal to its
// double), it is the result.
void complex_abs(Operator& op) {
  if (!op.input_slot(0).imaginary) op.damaged("needs complex numbers");
  const TensorId a = op.abs(op.input(0)), b = op.abs(*op.input_slot(0).imaginary);
  const TensorId larger = op.max(a, b), is_result = op.equal(op.add(larger, larger), larger);
  const TensorId divisor = op.where(is_result, op.number(larger, 1), larger);
  const auto square = [&](TensorId x) { return op.emit(Op::square, {op.div(x, divisor)}); };
  const TensorId length = op.mul(op.sqrt(op.add(square(a), square(b))), divisor);
  op.write_to(op.output(), Op::where, {is_result, larger, length});
}

template <bool is_real>
void part(Operator& op) {
  TensorSlot slot = op.input_slot(0);
  if (!slot.imaginary) op.damaged("needs complex numbers");
  if (!is_real) slot.id = *slot.imaginary;
  slot.imaginary.reset();
  op.deliver(slot);
}

constexpr Row kComplexRows[] = {
    {RFFT2D, 2, 2, Numbers::complex, rfft_2d},
    {COMPLEX_ABS, 1, 1, Numbers::complex, complex_abs},
    {REAL, 1, 1, Numbers::complex, part<true>},
    {IMAG, 1, 1, Numbers::complex, part<false>},
};

}  // namespace

std::span<const Row> complex_rows() { return kComplexRows; }

}  // namespace nnrt::import::tflite
