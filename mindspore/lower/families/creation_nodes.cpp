// Tensors made from shapes and parameters.
#include "core/base/text.h"
#include "mindspore/lower/node_lowering.h"

#include <algorithm>
#include <cmath>

namespace nnrt::mindspore {
namespace {

// The number of elements.
void lower_size(Lowering& op) {
  const Value x = op.in(0);
  if (x.rank() == 0) return op.set(0, op.graph.number(DType::i32, 1));
  const Value shape = op.graph.emit(Op::shape, {x}, {}, {DType::i32});
  op.set(0, op.emit(Op::reduce_prod, {shape, op.graph.integers({0})}, {{Attr::keep_dims, 1}}));
}

// Value and shape; FillV2 has the shape first.
void lower_fill(Lowering& op) {
  const size_t shape = op.primitive.type() == PrimitiveType::fill_v2 ? 0 : 1;
  op.emit_results(Op::fill, {op.in(1 - shape), op.shape_in(shape)});
}

void lower_constant_of_shape(Lowering& op) {
  const DType dtype = dtype_of_number(op.primitive.integer("data_type"));
  const Reals values = op.primitive.reals("value");
  if (dtype == DType::unknown || values.size() > 1) op.refuse("The type or the value is not supported.");
  const double value = values.empty() ? 0 : double(values[0]);
  op.set(0, op.graph.emit(Op::constant_of_shape, {op.shape_in(0)}, {{Attr::value, value}},
                          {dtype, {}, op.declared().shape}));
}

// The input's shape filled with 0 or 1.
void lower_like(Lowering& op) {
  const bool is_ones = op.primitive.type() == PrimitiveType::ones_like;
  const Value x = op.in(0);
  if (!is_static(x.shape)) op.refuse("The shape of the input is not known.");
  const Value shape = op.graph.integers(or_one(x.shape));
  op.set(0, op.graph.emit(Op::constant_of_shape, {shape}, {{Attr::value, is_ones}}, {x.dtype}));
}

constexpr int64_t kMaxRange = int64_t{1} << 24;

// start + i * delta as a constant.
void set_sequence(Lowering& op, float start, float delta, int64_t count) {
  if (count < 1 || count > kMaxRange) op.refuse("A range of ", count, " elements is not supported.");
  Bytes bytes(size_t(count) * sizeof(float));
  for (int64_t i = 0; i < count; ++i) {
    const float value = start + float(i) * delta;
    std::memcpy(bytes.data() + size_t(i) * sizeof(float), &value, sizeof(float));
  }
  op.set(0, op.graph.constant(DType::f32, {count}, std::make_shared<const Bytes>(std::move(bytes))));
}

// Start, limit and delta are attributes if there is one input, else inputs.
void lower_range(Lowering& op) {
  if (op.input_count() == 2) op.fail(invalid("A range has 2 inputs."));
  const auto emit = [&](const Value& x, int64_t start, int64_t limit, int64_t delta) {
    op.emit_results(Op::range, {x}, {{Attr::start, start}, {Attr::limit, limit}, {Attr::delta, delta}});
  };
  if (op.input_count() == 1)
    return emit(op.in(0), op.primitive.integer("start"), op.primitive.integer("limit"),
                op.primitive.integer("delta"));
  const std::optional<Integers> start = op.integers(0), limit = op.integers(1), delta = op.integers(2);
  if (start && limit && delta && start->size() == 1 && limit->size() == 1 && delta->size() == 1)
    return emit(op.in(0), (*start)[0], (*limit)[0], (*delta)[0]);
  const std::optional<float> first = op.real(0), end = op.real(1), step = op.real(2);
  if (!first || !end || !step || *step == 0) op.refuse("The limits of the range are not constant numbers.");
  set_sequence(op, *first, *step, int64_t(std::ceil((double(*end) - double(*first)) / double(*step))));
}

// Start, stop (included) and number.
void lower_lin_space(Lowering& op) {
  const std::optional<float> start = op.real(0), stop = op.real(1);
  const Integers count = op.constant_integers(2, "number of elements");
  if (!start || !stop || count.size() != 1) op.refuse("The limits of the range are not constant numbers.");
  const float delta = count[0] > 1 ? (*stop - *start) / float(count[0] - 1) : 0;
  set_sequence(op, *start, delta, count[0]);
}

}  // namespace

std::span<const LoweringRow> creation_lowerings() {
  static constexpr LoweringRow kRows[] = {
      {PrimitiveType::assert_, 2, 2, lower_plain, Op::assert_},
      {PrimitiveType::constant_of_shape, 1, 1, lower_constant_of_shape, Op::constant_of_shape},
      {PrimitiveType::fill, 2, 2, lower_fill, Op::fill},
      {PrimitiveType::fill_v2, 2, 2, lower_fill, Op::fill},
      {PrimitiveType::lin_space, 3, 3, lower_lin_space},
      {PrimitiveType::ones_like, 1, 1, lower_like},
      {PrimitiveType::range, 1, 3, lower_range, Op::range},
      {PrimitiveType::rank, 1, 1, lower_plain, Op::rank},
      {PrimitiveType::shape, 1, 1, lower_plain, Op::shape},
      {PrimitiveType::size, 1, 1, lower_size},
      {PrimitiveType::zeros_like, 1, 1, lower_like},
  };
  return kRows;
}

}  // namespace nnrt::mindspore
