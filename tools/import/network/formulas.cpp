#include "tools/import/network/formulas.h"

#include "core/base/text.h"

#include <algorithm>
#include <numeric>

namespace nnrt::import {

// Negation fails for the lowest integer, so integers are bit-inverted.
TensorId Formulas::in_opposite_order(TensorId x) {
  return emit(is_float(builder_.dtype(x)) ? Op::neg : Op::bitwise_not, {x});
}

TensorId Formulas::is_above_floor(TensorId remainder, TensorId divisor) {
  const TensorId differ = emit(Op::not_equal, {less(remainder, 0.0), less(divisor, 0.0)});
  return emit(Op::logical_and, {differ, emit(Op::not_equal, {remainder, number(remainder, 0)})});
}

TensorId Formulas::clip(TensorId x, double min, double max) {
  return emit(Op::clip, {x}, {{Attr::min, min}, {Attr::max, max}});
}

TensorId Formulas::sum(TensorId x, const List<int64_t>& axes, bool keep) {
  return emit(Op::reduce_sum, {x, vector(axes)}, {{Attr::keep_dims, keep}});
}

TensorId Formulas::mean(TensorId x, const List<int64_t>& axes, bool keep) {
  return emit(Op::reduce_mean, {x, vector(axes)}, {{Attr::keep_dims, keep}});
}

TensorId Formulas::largest(TensorId x, const List<int64_t>& axes, bool keep) {
  return emit(Op::reduce_max, {x, vector(axes)}, {{Attr::keep_dims, keep}});
}

TensorId Formulas::smallest(TensorId x, const List<int64_t>& axes, bool keep) {
  return emit(Op::reduce_min, {x, vector(axes)}, {{Attr::keep_dims, keep}});
}

TensorId Formulas::softmax(TensorId x, int64_t axis) { return emit(Op::softmax, {x}, {{Attr::axis, axis}}); }

TensorId Formulas::cast(TensorId id, DType dtype) {
  if (builder_.dtype(id) == dtype) return id;
  return emit(Op::cast, {id, builder_.type_code(dtype)}, {}, {.dtypes = {dtype}});
}

TensorId Formulas::reshape(TensorId id, const List<int64_t>& target) {
  if (builder_.shape(id) == target) return id;
  return target.empty() ? squeeze(regroup(id, {1}), {0}) : regroup(id, target);
}

TensorId Formulas::regroup(TensorId x, const List<int64_t>& target) {
  return emit(Op::reshape, {x, vector(target)});
}

TensorId Formulas::transpose(TensorId id, const List<int64_t>& order) {
  if (std::ranges::is_sorted(order)) return id;
  return emit(Op::transpose, {id, vector(order)});
}

TensorId Formulas::unsqueeze(TensorId x, const List<int64_t>& axes) {
  if (axes.empty()) return x;
  if (builder_.rank(x) == 0) return reshape(x, List<int64_t>(axes.size(), 1));
  return emit(Op::unsqueeze, {x}, {{Attr::axis, axes}});
}

TensorId Formulas::squeeze(TensorId x, const List<int64_t>& axes) {
  if (axes.empty()) return x;
  return emit(Op::squeeze, {x}, {{Attr::axis, axes}});
}

TensorId Formulas::concat(const List<TensorId>& parts, int64_t axis) {
  if (parts.size() == 1) return parts[0];
  return emit(Op::concat, parts, {{Attr::axis, axis}});
}

TensorId Formulas::slice_along(TensorId x, int64_t axis, TensorId begin, TensorId end, int64_t stride) {
  Dims open = builder_.shape(x);
  open[static_cast<size_t>(axis)] = kUnknown;
  List<int64_t> steps(open.size(), 1);
  steps[static_cast<size_t>(axis)] = stride;
  const int64_t others = ((int64_t{1} << open.size()) - 1) & ~(int64_t{1} << axis);
  return emit(Op::strided_slice, {x, begin, end, vector(steps)},
              {{Attr::begin_mask, others}, {Attr::end_mask, others}}, {.shape = open});
}

TensorId Formulas::slice(TensorId x, int64_t axis, int64_t begin, int64_t end, int64_t stride) {
  const auto dimensions = builder_.rank(x), chosen = static_cast<size_t>(axis);
  const int64_t length = builder_.shape(x)[chosen];
  if (begin == 0 && length != kUnknown && end >= length && stride == 1) return x;
  List<int64_t> from(dimensions, 0), to(dimensions, 0);
  from[chosen] = begin;
  to[chosen] = end;
  const TensorId last = vector(to);
  return slice_along(x, axis, vector(from), last, stride);
}

TensorId Formulas::slice_between(TensorId x, int64_t axis, TensorId begin, TensorId end) {
  const auto all = [&](TensorId bound) { return concat(List<TensorId>(builder_.rank(x), bound), 0); };
  const TensorId last = all(end);
  return slice_along(x, axis, all(begin), last, 1);
}

TensorId Formulas::reversed(TensorId x, const List<int64_t>& axes) {
  List<int64_t> steps(builder_.rank(x), 1);
  for (const int64_t axis : axes) steps[static_cast<size_t>(axis)] = -1;
  const TensorId zeros = vector(List<int64_t>(steps.size(), 0));
  const int64_t whole = (int64_t{1} << steps.size()) - 1;
  return emit(Op::strided_slice, {x, zeros, zeros, vector(steps)},
              {{Attr::begin_mask, whole}, {Attr::end_mask, whole}});
}

TensorId Formulas::gather(TensorId x, TensorId indices, int64_t axis) {
  return emit(Op::gather, {x, indices, vector({axis})});
}

// Gathers from a flat list, with elements numbered across all sequences.
TensorId Formulas::reversed_sequences(TensorId x, TensorId lengths, int64_t time, int64_t batch) {
  const Dims shape = builder_.shape(x);
  const int64_t steps = shape[static_cast<size_t>(time)], count = shape[static_cast<size_t>(batch)];
  constexpr int64_t kMaxPlaces = 1 << 24;
  if (steps == kUnknown || count == kUnknown || steps * count > kMaxPlaces)
    fail(unsupported("Sequences in a tensor of shape ", to_string(shape), " are not supported."));
  List<int64_t> order{std::min(time, batch), std::max(time, batch)}, rows{-1};
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d) {
    if (d == time || d == batch) continue;
    order.push_back(d);
    rows.push_back(shape[static_cast<size_t>(d)]);
  }
  if (std::ranges::count(rows, kUnknown) > 1)
    fail(unsupported("The shape ", to_string(shape), " is not known."));
  const bool is_major = time < batch;
  const auto counted = [&](bool is_first, int64_t length) {
    List<int64_t> numbers(static_cast<size_t>(length));
    std::iota(numbers.begin(), numbers.end(), 0);
    return reshape(vector(numbers), is_first ? List<int64_t>{length, 1} : List<int64_t>{1, length});
  };
  const TensorId step = counted(is_major, steps), sequence = counted(!is_major, count);
  const TensorId ends = reshape(cast(lengths, DType::i64), builder_.shape(sequence));
  const TensorId from = where(less(step, ends), sub(sub(ends, 1.0), step), step);
  const TensorId places = is_major ? add(mul(from, static_cast<double>(count)), sequence)
                                   : add(mul(sequence, static_cast<double>(steps)), from);
  List<int64_t> back(order.size());
  for (size_t i = 0; i < order.size(); ++i) back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  return transpose(gather(regroup(transpose(x, order), rows), places, 0), back);
}

TensorId Formulas::broadcast(TensorId x, const Dims& target) {
  if (builder_.shape(x) == target) return x;
  return emit(Op::broadcast_to, {x}, {{Attr::shape, target}});
}

TensorId Formulas::padded(TensorId x, const List<int64_t>& pads, std::optional<float> value) {
  Settings settings;
  if (value) settings.push_back({Attr::constant_value, *value});
  return emit(Op::pad, {x, reshape(vector(pads), {static_cast<int64_t>(builder_.rank(x)), 2})}, settings);
}

// Matrix product for dtypes MATMUL lacks: all elementwise products, summed.
TensorId Formulas::summed_products(TensorId a, TensorId b) {
  const auto left = static_cast<int64_t>(builder_.rank(a)), right = static_cast<int64_t>(builder_.rank(b));
  if (left == 0 || right == 0) fail({Code::invalid_file, "An operand of a matrix product is a scalar."});
  if (left > 1 && right > 1) a = unsqueeze(a, {left});
  if (left == 1 && right > 1) a = unsqueeze(a, {1});
  if (left > 1 && right > 1) b = unsqueeze(b, {right - 2});
  const TensorId products = mul(a, b);
  const Dims shape = builder_.shape(products);
  constexpr int64_t kMaxProducts = 1 << 26;
  const std::optional<int64_t> count = nnrt::element_count(shape);
  if (!count || *count > kMaxProducts)
    fail(unsupported("Products of matrices of ", name(builder_.dtype(a)), " with so many terms, ",
                     to_string(shape), ", are not supported."));
  const auto rank = static_cast<int64_t>(shape.size());
  return sum(products, {std::max<int64_t>(rank - (right > 1 ? 2 : 1), 0)}, false);
}

TensorId Formulas::matmul(TensorId a, TensorId b, bool transpose_b) {
  if (!transpose_b && (kIndex | DTypeSet{DType::u64, DType::f64}).contains(builder_.dtype(a)))
    return summed_products(a, b);
  return emit(Op::matmul, {a, b}, {{Attr::transpose_b, transpose_b}});
}

}  // namespace nnrt::import
