// Transforms to complex numbers, kept as pairs of floats until a real number is computed from them.
#include "tools/import/tflite/formulas/tflite_formula.h"
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
Complex waves(Formula& f, int32_t length, int32_t rows, int32_t columns) {
  const auto matrix = [&](bool is_real) {
    List<float> values;
    values.reserve(static_cast<size_t>(int64_t{rows} * columns));
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t column = 0; column < columns; ++column) {
        const double angle = 2 * std::numbers::pi * static_cast<double>(row * column % length) / length;
        values.push_back(static_cast<float>(is_real ? std::cos(angle) : -std::sin(angle)));
      }
    }
    return f.build().constant<float>({rows, columns}, values);
  };
  return {matrix(true), matrix(false)};
}

// Transform lengths: extra rows and columns are dropped, missing ones are zero.
struct Lengths {
  int32_t height = 0, width = 0;

  int32_t bins() const { return width / 2 + 1; }
};

Result<Lengths> lengths_of(const Operator& op) {
  NNRT_ASSIGN(const List<int64_t> given, op.integers(1, 2));
  for (const int64_t length : given)
    if (length < 1 || length > kMaxElements)
      return op.refuse("transforms a length (" + std::to_string(length) + ") outside [1, 4194304]");
  const Lengths lengths{static_cast<int32_t>(given[0]), static_cast<int32_t>(given[1])};
  const int64_t height = lengths.height, width = lengths.width;
  if (width * lengths.bins() > kMaxElements || height * height > kMaxElements)
    return op.refuse("transforms " + std::to_string(height) + " x " + std::to_string(width) +
                     " elements, for which a matrix product is too large");
  return lengths;
}

Status rfft_2d(Operator& op) {
  NNRT_ASSIGN(const Lengths lengths, lengths_of(op));
  if (!op.output_slot().imaginary) return op.damaged("makes no complex numbers");
  const TensorId real = op.output(), imaginary = *op.output_slot().imaginary;
  Formula f(op);
  TensorId x = f.operand(0);
  const size_t rank = f.rank(x);
  if (rank < 2) return op.damaged("needs an input of rank 2 or more");
  const int32_t rows = std::min(f.length(x, rank - 2), lengths.height),
                columns = std::min(f.length(x, rank - 1), lengths.width);
  if (rows < f.length(x, rank - 2)) x = f.slice(x, rank - 2, 0, rows);
  if (columns < f.length(x, rank - 1)) x = f.slice(x, rank - 1, 0, columns);
  const Complex along = waves(f, lengths.width, columns, lengths.bins());
  if (lengths.height == 1) {
    NNRT_TRY(f.write(real, OH_NN_OPS_MATMUL, {x, along.real}));
    return f.write(imaginary, OH_NN_OPS_MATMUL, {x, along.imaginary});
  }
  const TensorId a = f.matmul(x, along.real), b = f.matmul(x, along.imaginary);
  const Complex across = waves(f, lengths.height, lengths.height, rows);
  NNRT_TRY(f.write(real, OH_NN_OPS_SUB, {f.matmul(across.real, a), f.matmul(across.imaginary, b)}));
  return f.write(imaginary, OH_NN_OPS_ADD, {f.matmul(across.real, b), f.matmul(across.imaginary, a)});
}

// Dividing by the larger part avoids overflow of the squares. If that part is 0 or infinite (equal to its
// double), it is the result.
Status complex_abs(Operator& op) {
  if (!op.input_slot(0).imaginary) return op.damaged("needs complex numbers");
  Formula f(op);
  const TensorId a = f.abs(op.input(0)), b = f.abs(*op.input_slot(0).imaginary);
  const TensorId larger = f.max(a, b), is_result = f.equal(f.add(larger, larger), larger);
  const TensorId divisor = f.where(is_result, f.number(1), larger);
  const auto square = [&](TensorId x) { return f.emit(OH_NN_OPS_SQUARE, {f.div(x, divisor)}); };
  const TensorId length = f.mul(f.sqrt(f.add(square(a), square(b))), divisor);
  return f.write(op.output(), OH_NN_OPS_WHERE, {is_result, larger, length});
}

template <bool is_real>
Status part(Operator& op) {
  TensorSlot slot = op.input_slot(0);
  if (!slot.imaginary) return op.damaged("needs complex numbers");
  if (!is_real) slot.id = *slot.imaginary;
  slot.imaginary.reset();
  op.deliver(slot);
  return {};
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
