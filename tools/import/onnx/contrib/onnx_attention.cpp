#include "tools/import/onnx/contrib/onnx_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nnrt::import::onnx {
namespace {

constexpr double kHidden = -std::numeric_limits<double>::infinity();

// The keys that the causal form shows each query, [length, total].
TensorId causal_keys(Formula& f, const Heads& heads, const AttentionForm& form) {
  TensorId own = f.regroup(numbers_along(f, heads.query, 2), {-1, 1});
  if (form.causal == Causal::to_last)
    own = f.add(own, f.sub(length_at(f, heads.key, 2), length_at(f, heads.query, 2)));
  return seen_keys(f, own, numbers_along(f, heads.key, 2), {form.reach, 0});
}

// Repeats each key/value head `times` times for grouped queries.
TensorId repeat_heads(Formula& f, TensorId x, int64_t times) {
  if (times == 1) return x;
  const int64_t heads = f.length(x, 1);
  return f.gather(x, f.indices(DType::i64, {heads * times}, [&](int64_t head) { return head / times; }), 1);
}

TensorId as_numbers(Formula& f, TensorId bias, DType dtype) {
  if (f.dtype(bias) != DType::boolean) return bias;
  Emitter& emitter = f.call().emitter();
  return f.where(bias, emitter.number(dtype, 0), emitter.number(dtype, kHidden));
}

// The softmax of the scores and the sinks, without the latter.
TensorId softmax_beside(Formula& f, TensorId scores, TensorId query, TensorId sinks) {
  const TensorId column = f.add(f.mul(f.slice(query, 3, 0, 1), 0.0), sinks);
  return f.slice(f.softmax(f.concat({scores, column}, 3)), 3, 0, -1);
}

// Keys or values with 0 instead of those that may not be read.
TensorId readable(Formula& f, TensorId x, const AttentionForm& form) {
  return form.filled ? f.where(*form.filled, x, f.number(x, 0)) : x;
}

// A BOOL bias selects, so that hidden scores may be NaN.
TensorId biased(Formula& f, TensorId scores, TensorId bias) {
  if (f.dtype(bias) != DType::boolean) return f.add(scores, bias);
  return f.where(bias, scores, f.number(scores, kHidden));
}

// A softmax whose rows are 0 where all scores are hidden.
TensorId softmax_or_zero(Formula& f, TensorId scores) {
  const TensorId sees_none = f.equal(f.largest(scores, {3}), kHidden);
  return f.where(sees_none, f.number(scores, 0), f.softmax(scores));
}

TensorId composed_attention(Formula& f, const Heads& heads, const AttentionForm& form, Scores* scores) {
  const int64_t times = f.length(heads.query, 1) / std::max<int64_t>(f.length(heads.key, 1), 1);
  TensorId x = f.matmul(f.mul(heads.query, form.scale), repeat_heads(f, heads.key, times), true);
  const auto reach = [&](Stage stage) {
    if (scores != nullptr && scores->stage == stage) scores->made = x;
  };
  reach(Stage::product);
  if (form.softcap != 0) x = f.mul(f.tanh(f.div(x, form.softcap)), form.softcap);
  reach(Stage::capped);
  for (const TensorId bias : form.biases) x = biased(f, x, bias);
  if (form.causal != Causal::none) x = biased(f, x, causal_keys(f, heads, form));
  reach(Stage::biased);
  const bool may_see_none = !form.biases.empty() && !form.keeps_nan;
  x = form.sinks     ? softmax_beside(f, x, heads.query, *form.sinks)
      : may_see_none ? softmax_or_zero(f, x)
                     : f.softmax(x);
  reach(Stage::softmax);
  return f.matmul(x, repeat_heads(f, readable(f, heads.value, form), times));
}

// Returns whether ATTENTION supports the bias, which must not broadcast the scores.
bool is_mask(Formula& f, TensorId bias, const Heads& heads) {
  const Dims &query = f.shape(heads.query), &shape = f.shape(bias);
  const Dims scores{query[0], query[1], query[2], f.shape(heads.key)[2]};
  if (shape.size() > scores.size()) return false;
  for (size_t d = 0; d < shape.size(); ++d) {
    const int64_t target = scores[scores.size() - shape.size() + d];
    if (shape[d] != 1 && shape[d] != target) return false;
  }
  const DType dtype = f.dtype(bias);
  return dtype == DType::boolean || dtype == f.dtype(heads.query);
}

// Returns whether ATTENTION supports everything requested.
bool is_one_operator(Formula& f, const Heads& heads, const AttentionForm& form) {
  const DType dtype = f.dtype(heads.query);
  if (form.softcap != 0 || form.reach >= 0 || form.sinks || (dtype != DType::f32 && dtype != DType::f16))
    return false;
  for (const TensorId shared : {heads.key, heads.value})
    if (f.shape(shared)[0] != f.shape(heads.query)[0]) return false;
  return std::ranges::all_of(form.biases, [&](TensorId bias) { return is_mask(f, bias, heads); });
}

}  // namespace

double scale_of(Formula& f, TensorId query) {
  const double given = f.call().attributes.real("scale", 0);
  return given != 0 ? given : 1 / std::sqrt(static_cast<double>(f.length(query, 3)));
}

Result<int64_t> heads_of(const Call& call, std::string_view attribute) {
  const int64_t heads = call.attributes.count(attribute, 0);
  if (heads < 1) return damaged("The number of heads (", heads, ") is not positive.");
  return heads;
}

TensorId with_past(Formula& f, size_t input, TensorId x) {
  if (!f.call().has(input)) return x;
  return f.concat({f.input(input), x}, 2);
}

TensorId length_at(Formula& f, TensorId x, size_t axis) {
  const int64_t length = f.shape(x)[axis];
  if (length != kUnknown) return f.indices(DType::i32, {1}, [&](int64_t) { return length; });
  const auto begin = static_cast<int64_t>(axis);
  return f.cast(f.slice(f.emit(OH_NN_OPS_SHAPE, {x}), 0, begin, begin + 1), DType::i32);
}

TensorId numbers_below(Formula& f, TensorId count) {
  const TensorId ones = f.given(f.call().filled_as(DType::i32, count, 1));
  return f.sub(f.emit(extension(OH_NN_OPS_CUM_SUM), {ones}), 1.0);
}

TensorId numbers_along(Formula& f, TensorId x, size_t axis) {
  const int64_t length = f.shape(x)[axis];
  if (length != kUnknown) return f.indices(DType::i32, {length}, [](int64_t i) { return i; });
  return numbers_below(f, length_at(f, x, axis));
}

TensorId seen_keys(Formula& f, TensorId own, TensorId numbers, const Window& window) {
  const auto moved = [&](int64_t by) { return by == 0 ? own : f.add(own, static_cast<double>(by)); };
  Ids seen;
  if (window.after >= 0) seen.push_back(f.emit(OH_NN_OPS_LESS_EQUAL, {numbers, moved(window.after)}));
  if (window.before >= 0) seen.push_back(f.emit(OH_NN_OPS_GREATER_EQUAL, {numbers, moved(-window.before)}));
  return seen.size() == 1 ? seen[0] : f.emit(OH_NN_OPS_LOGICAL_AND, seen);
}

TensorId attention(Formula& f, const Heads& heads, const AttentionForm& form, Scores* scores) {
  if (scores != nullptr || !is_one_operator(f, heads, form))
    return composed_attention(f, heads, form, scores);
  Ids operands{heads.query, heads.key, heads.value};
  if (form.biases.size() == 1) operands.push_back(form.biases[0]);
  if (form.biases.size() > 1) {
    for (size_t i = 1; i < operands.size(); ++i) operands[i] = readable(f, operands[i], form);
    TensorId sum = as_numbers(f, form.biases[0], f.dtype(heads.query));
    for (size_t i = 1; i < form.biases.size(); ++i)
      sum = f.add(sum, as_numbers(f, form.biases[i], f.dtype(heads.query)));
    operands.push_back(sum);
  }
  return f.emit(extension(OH_NN_OPS_ATTENTION), operands,
                {float_parameter(extension(OH_NN_ATTENTION_SCALE), static_cast<float>(form.scale)),
                 int8_parameter(extension(OH_NN_ATTENTION_CAUSAL), static_cast<int8_t>(form.causal)),
                 bool_parameter(extension(OH_NN_ATTENTION_ZERO_NAN), !form.keeps_nan)});
}

TensorId split_heads(Formula& f, TensorId x, int64_t heads) {
  const int64_t width = f.length(x, 2);
  if (heads < 1 || width % heads != 0)
    f.fail(damaged("The width (", width, ") is not a multiple of the number of heads (", heads, ")."));
  return f.transpose(f.regroup(x, {0, 0, heads, width / heads}), {0, 2, 1, 3});
}

TensorId merge_heads(Formula& f, TensorId x) {
  const int64_t width = f.length(x, 1) * f.length(x, 3);
  return f.regroup(f.transpose(x, {0, 2, 1, 3}), {0, 0, width});
}

TensorId rotated(Formula& f, TensorId x, TensorId cosines, TensorId sines, bool interleaved) {
  const int64_t size = f.length(x, 3), turning = 2 * f.length(cosines, -1);
  if (turning > size || f.length(sines, -1) * 2 != turning)
    f.fail(damaged("Angles for ", turning, " elements do not match heads of ", size, "."));
  const auto beside_heads = [&](TensorId id) { return f.rank(id) == 3 ? f.unsqueeze(id, {1}) : id; };
  return f.emit(extension(OH_NN_OPS_ROTARY_EMBEDDING), {x, beside_heads(cosines), beside_heads(sines)},
                {bool_parameter(extension(OH_NN_ROTARY_EMBEDDING_INTERLEAVED), interleaved)});
}

}  // namespace nnrt::import::onnx
