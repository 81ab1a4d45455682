// Formulas as operations of a network.
#pragma once

#include "tools/import/network/network_builder.h"

namespace nnrt::import {

class Formulas {
 public:
  explicit Formulas(NetworkBuilder& builder) : builder_(builder) {}

  TensorId vector(const List<int64_t>& values) { return builder_.vector(values); }
  TensorId number(DType dtype, double value) { return builder_.number(dtype, value); }
  // A single-element constant with the dtype of `like`.
  TensorId number(TensorId like, double value) { return number(builder_.dtype(like), value); }

  TensorId emit(Op operation, const List<TensorId>& operands, const Settings& settings = {},
                const Outputs& outputs = {}) {
    return builder_.emit(operation, operands, settings, outputs);
  }
  TensorId add(TensorId a, TensorId b) { return emit(Op::add, {a, b}); }
  TensorId add(TensorId a, double b) { return add(a, number(a, b)); }
  TensorId sub(TensorId a, TensorId b) { return emit(Op::sub, {a, b}); }
  TensorId sub(TensorId a, double b) { return sub(a, number(a, b)); }
  TensorId mul(TensorId a, TensorId b) { return emit(Op::mul, {a, b}); }
  TensorId mul(TensorId a, double b) { return b == 1 ? a : mul(a, number(a, b)); }
  TensorId div(TensorId a, TensorId b) { return emit(Op::div, {a, b}); }
  TensorId div(TensorId a, double b) { return div(a, number(a, b)); }
  TensorId max(TensorId a, TensorId b) { return emit(Op::maximum, {a, b}); }
  TensorId min(TensorId a, TensorId b) { return emit(Op::minimum, {a, b}); }
  TensorId less(TensorId a, TensorId b) { return emit(Op::less, {a, b}); }
  TensorId less(TensorId a, double b) { return less(a, number(a, b)); }
  TensorId equal(TensorId a, TensorId b) { return emit(Op::equal, {a, b}); }
  TensorId equal(TensorId a, double b) { return equal(a, number(a, b)); }
  TensorId either(TensorId a, TensorId b) { return emit(Op::logical_or, {a, b}); }
  TensorId where(TensorId condition, TensorId a, TensorId b) { return emit(Op::where, {condition, a, b}); }

  TensorId abs(TensorId x) { return emit(Op::abs, {x}); }
  TensorId neg(TensorId x) { return emit(Op::neg, {x}); }
  TensorId sqrt(TensorId x) { return emit(Op::sqrt, {x}); }
  TensorId square(TensorId x) { return emit(Op::square, {x}); }
  TensorId log(TensorId x) { return emit(Op::log, {x}); }
  TensorId exp(TensorId x) { return emit(Op::exp, {x}); }
  TensorId tanh(TensorId x) { return emit(Op::tanh, {x}); }
  TensorId sigmoid(TensorId x) { return emit(Op::sigmoid, {x}); }
  TensorId reciprocal(TensorId x) { return emit(Op::reciprocal, {x}); }
  // Rounds half to even.
  TensorId round(TensorId x) { return emit(Op::round_half_even, {x}); }
  // An involution that reverses the order, to find minima with operators that find maxima.
  TensorId in_opposite_order(TensorId x);
  // Whether a truncated quotient, whose remainder this is, lies above the floor.
  TensorId is_above_floor(TensorId remainder, TensorId divisor);
  TensorId clip(TensorId x, double min, double max);
  TensorId gelu(TensorId x, bool is_approximate) {
    return emit(Op::gelu, {x}, {{Attr::approximate, is_approximate}});
  }

  TensorId sum(TensorId x, const List<int64_t>& axes, bool keep = true);
  TensorId mean(TensorId x, const List<int64_t>& axes, bool keep = true);
  TensorId largest(TensorId x, const List<int64_t>& axes, bool keep = true);
  TensorId smallest(TensorId x, const List<int64_t>& axes, bool keep = true);
  TensorId softmax(TensorId x, int64_t axis = -1);

  TensorId cast(TensorId id, DType dtype);
  // The dimensions as INT64.
  TensorId shape_as_tensor(TensorId x) { return cast(emit(Op::shape, {x}), DType::i64); }
  TensorId reshape(TensorId id, const List<int64_t>& target);
  // 0 copies a dimension, -1 is inferred.
  TensorId regroup(TensorId x, const List<int64_t>& target);
  TensorId transpose(TensorId id, const List<int64_t>& order);
  TensorId unsqueeze(TensorId x, const List<int64_t>& axes);
  TensorId squeeze(TensorId x, const List<int64_t>& axes);
  TensorId concat(const List<TensorId>& parts, int64_t axis);
  // Elements [begin, end) along an axis; `end` may exceed the length.
  TensorId slice(TensorId x, int64_t axis, int64_t begin, int64_t end, int64_t stride = 1);
  // With INT64 bounds of shape [1], which may be computed.
  TensorId slice_between(TensorId x, int64_t axis, TensorId begin, TensorId end);
  // With the elements along the axes in reverse order.
  TensorId reversed(TensorId x, const List<int64_t>& axes);
  TensorId gather(TensorId x, TensorId indices, int64_t axis);
  // With the leading elements along `time`, up to the length of each sequence, in reverse order. Both lengths
  // and all other dimensions but one must be known.
  TensorId reversed_sequences(TensorId x, TensorId lengths, int64_t time, int64_t batch);
  TensorId broadcast(TensorId x, const Dims& target);
  // By [before, after] of each dimension, with zeros unless a value is given.
  TensorId padded(TensorId x, const List<int64_t>& pads, std::optional<float> value = {});
  TensorId matmul(TensorId a, TensorId b, bool transpose_b = false);

 protected:
  NetworkBuilder& builder_;

 private:
  TensorId slice_along(TensorId x, int64_t axis, TensorId begin, TensorId end, int64_t stride);
  TensorId summed_products(TensorId a, TensorId b);
};

}  // namespace nnrt::import
