#include "tools/import/onnx/contrib/onnx_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nnrt::import::onnx {
namespace {

constexpr double kHidden = -std::numeric_limits<double>::infinity();

// The keys that the causal form shows each query, [length, total].
TensorId causal_keys(Call& call, const Heads& heads, const AttentionForm& form) {
  TensorId own = call.regroup(numbers_along(call, heads.query, 2), {-1, 1});
  if (form.causal == Causal::to_last)
    own = call.add(own, call.sub(length_at(call, heads.key, 2), length_at(call, heads.query, 2)));
  return seen_keys(call, own, numbers_along(call, heads.key, 2), {form.reach, 0});
}

// Repeats each key/value head `times` times for grouped queries.
TensorId repeat_heads(Call& call, TensorId x, int64_t times) {
  if (times == 1) return x;
  const int64_t heads = call.length(x, 1);
  return call.gather(x, call.indices(DType::i64, {heads * times}, [&](int64_t head) { return head / times; }),
                     1);
}

TensorId as_numbers(Call& call, TensorId bias, DType dtype) {
  if (call.dtype(bias) != DType::boolean) return bias;
  return call.where(bias, call.number(dtype, 0), call.number(dtype, kHidden));
}

// The softmax of the scores and the sinks, without the latter.
TensorId softmax_beside(Call& call, TensorId scores, TensorId query, TensorId sinks) {
  const TensorId column = call.add(call.mul(call.slice(query, 3, 0, 1), 0.0), sinks);
  return call.slice(call.softmax(call.concat({scores, column}, 3)), 3, 0, -1);
}

// Keys or values with 0 instead of those that may not be read.
TensorId readable(Call& call, TensorId x, const AttentionForm& form) {
  return form.filled ? call.where(*form.filled, x, call.number(x, 0)) : x;
}

// A BOOL bias selects, so that hidden scores may be NaN.
TensorId biased(Call& call, TensorId scores, TensorId bias) {
  if (call.dtype(bias) != DType::boolean) return call.add(scores, bias);
  return call.where(bias, scores, call.number(scores, kHidden));
}

// A softmax whose rows are 0 where all scores are hidden.
TensorId softmax_or_zero(Call& call, TensorId scores) {
  const TensorId sees_none = call.equal(call.largest(scores, {3}), kHidden);
  return call.where(sees_none, call.number(scores, 0), call.softmax(scores));
}

TensorId composed_attention(Call& call, const Heads& heads, const AttentionForm& form, Scores* scores) {
  const int64_t times = call.length(heads.query, 1) / std::max<int64_t>(call.length(heads.key, 1), 1);
  TensorId x = call.matmul(call.mul(heads.query, form.scale), repeat_heads(call, heads.key, times), true);
  const auto reach = [&](Stage stage) {
    if (scores != nullptr && scores->stage == stage) scores->made = x;
  };
  reach(Stage::product);
  if (form.softcap != 0) x = call.mul(call.tanh(call.div(x, form.softcap)), form.softcap);
  reach(Stage::capped);
  for (const TensorId bias : form.biases) x = biased(call, x, bias);
  if (form.causal != Causal::none) x = biased(call, x, causal_keys(call, heads, form));
  reach(Stage::biased);
  const bool may_see_none = !form.biases.empty() && !form.keeps_nan;
  x = form.sinks     ? softmax_beside(call, x, heads.query, *form.sinks)
      : may_see_none ? softmax_or_zero(call, x)
                     : call.softmax(x);
  reach(Stage::softmax);
  return call.matmul(x, repeat_heads(call, readable(call, heads.value, form), times));
}

// Returns whether ATTENTION supports the bias, which must not broadcast the scores.
bool is_mask(Call& call, TensorId bias, const Heads& heads) {
  const Dims &query = call.shape(heads.query), &shape = call.shape(bias);
  const Dims scores{query[0], query[1], query[2], call.shape(heads.key)[2]};
  if (shape.size() > scores.size()) return false;
  for (size_t d = 0; d < shape.size(); ++d) {
    const int64_t target = scores[scores.size() - shape.size() + d];
    if (shape[d] != 1 && shape[d] != target) return false;
  }
  const DType dtype = call.dtype(bias);
  return dtype == DType::boolean || dtype == call.dtype(heads.query);
}

// Returns whether ATTENTION supports everything requested.
bool is_one_operator(Call& call, const Heads& heads, const AttentionForm& form) {
  const DType dtype = call.dtype(heads.query);
  if (form.softcap != 0 || form.reach >= 0 || form.sinks || (dtype != DType::f32 && dtype != DType::f16))
    return false;
  for (const TensorId shared : {heads.key, heads.value})
    if (call.shape(shared)[0] != call.shape(heads.query)[0]) return false;
  return std::ranges::all_of(form.biases, [&](TensorId bias) { return is_mask(call, bias, heads); });
}

}  // namespace

double scale_of(Call& call, TensorId query) {
  const double given = call.attributes.real("scale", 0);
  return given != 0 ? given : 1 / std::sqrt(static_cast<double>(call.length(query, 3)));
}

int64_t heads_of(const Call& call, std::string_view attribute) {
  const int64_t heads = call.attributes.count(attribute, 0);
  if (heads < 1) fail(damaged("The number of heads (", heads, ") is not positive."));
  return heads;
}

TensorId with_past(Call& call, size_t input, TensorId x) {
  if (!call.has(input)) return x;
  return call.concat({call.input(input), x}, 2);
}

TensorId length_at(Call& call, TensorId x, size_t axis) {
  const int64_t length = call.shape(x)[axis];
  if (length != kUnknown) return call.indices(DType::i32, {1}, [&](int64_t) { return length; });
  const auto begin = static_cast<int64_t>(axis);
  return call.cast(call.slice(call.emit(Op::shape, {x}), 0, begin, begin + 1), DType::i32);
}

TensorId numbers_below(Call& call, TensorId count) {
  const TensorId ones = call.filled_as(DType::i32, count, 1);
  return call.sub(call.emit(Op::cum_sum, {ones}), 1.0);
}

TensorId numbers_along(Call& call, TensorId x, size_t axis) {
  const int64_t length = call.shape(x)[axis];
  if (length != kUnknown) return call.indices(DType::i32, {length}, [](int64_t i) { return i; });
  return numbers_below(call, length_at(call, x, axis));
}

TensorId seen_keys(Call& call, TensorId own, TensorId numbers, const Window& window) {
  const auto moved = [&](int64_t by) { return by == 0 ? own : call.add(own, static_cast<double>(by)); };
  Ids seen;
  if (window.after >= 0) seen.push_back(call.emit(Op::less_equal, {numbers, moved(window.after)}));
  if (window.before >= 0) seen.push_back(call.emit(Op::greater_equal, {numbers, moved(-window.before)}));
  return seen.size() == 1 ? seen[0] : call.emit(Op::logical_and, seen);
}

TensorId attention(Call& call, const Heads& heads, const AttentionForm& form, Scores* scores) {
  if (scores != nullptr || !is_one_operator(call, heads, form))
    return composed_attention(call, heads, form, scores);
  Ids operands{heads.query, heads.key, heads.value};
  if (form.biases.size() == 1) operands.push_back(form.biases[0]);
  if (form.biases.size() > 1) {
    for (size_t i = 1; i < operands.size(); ++i) operands[i] = readable(call, operands[i], form);
    TensorId sum = as_numbers(call, form.biases[0], call.dtype(heads.query));
    for (size_t i = 1; i < form.biases.size(); ++i)
      sum = call.add(sum, as_numbers(call, form.biases[i], call.dtype(heads.query)));
    operands.push_back(sum);
  }
  return call.emit(
      Op::attention, operands,
      {{Attr::scale, form.scale}, {Attr::causal, form.causal}, {Attr::zero_nan, !form.keeps_nan}});
}

TensorId split_heads(Call& call, TensorId x, int64_t heads) {
  const int64_t width = call.length(x, 2);
  if (heads < 1 || width % heads != 0)
    fail(damaged("The width (", width, ") is not a multiple of the number of heads (", heads, ")."));
  return call.transpose(call.regroup(x, {0, 0, heads, width / heads}), {0, 2, 1, 3});
}

TensorId merge_heads(Call& call, TensorId x) {
  const int64_t width = call.length(x, 1) * call.length(x, 3);
  return call.regroup(call.transpose(x, {0, 2, 1, 3}), {0, 0, width});
}

TensorId rotated(Call& call, TensorId x, TensorId cosines, TensorId sines, bool interleaved) {
  const int64_t size = call.length(x, 3), turning = 2 * call.length(cosines, -1);
  if (turning > size || call.length(sines, -1) * 2 != turning)
    fail(damaged("Angles for ", turning, " elements do not match heads of ", size, "."));
  const auto beside_heads = [&](TensorId id) { return call.rank(id) == 3 ? call.unsqueeze(id, {1}) : id; };
  return call.emit(Op::rotary_embedding, {x, beside_heads(cosines), beside_heads(sines)},
                   {{Attr::interleaved, interleaved}});
}

}  // namespace nnrt::import::onnx
