#include "tools/import/onnx/contrib/onnx_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nnrt::import::onnx {
namespace {

constexpr int64_t kMaxMask = int64_t{1} << 24;

// Causal mask [length, total]: 0 for the element itself and up to `reach` elements before it.
TensorId causal_bias(Formula& f, const Heads& heads, const AttentionForm& form) {
  const int64_t length = f.length(heads.query, 2), total = f.length(heads.key, 2);
  if (length * total > kMaxMask) {
    f.fail(unsupported("A mask of ", length, " x ", total, " is not supported."));
    return 0;
  }
  const DType dtype = f.dtype(heads.query);
  List<double> numbers;
  for (int64_t row = 0; row < length; ++row) {
    const int64_t own = form.causal == Causal::to_last ? row + total - length : row;
    for (int64_t column = 0; column < total; ++column) {
      const bool seen = column <= own && (form.reach < 0 || own - column <= form.reach);
      numbers.push_back(seen ? 0 : masked_score(dtype));
    }
  }
  return f.constant(dtype, {length, total}, numbers);
}

// Repeats each key/value head `times` times for grouped queries.
TensorId repeat_heads(Formula& f, TensorId x, int64_t times) {
  if (times == 1) return x;
  const int64_t heads = f.length(x, 1);
  return f.gather(x, f.indices(DType::i64, {heads * times}, [&](int64_t head) { return head / times; }), 1);
}

double hidden_score(DType dtype, const AttentionForm& form) {
  return form.keeps_nan ? -std::numeric_limits<double>::infinity() : masked_score(dtype);
}

TensorId as_numbers(Formula& f, TensorId bias, DType dtype, const AttentionForm& form) {
  if (f.dtype(bias) != DType::boolean) return bias;
  Emitter& emitter = f.call().emitter();
  return f.where(bias, emitter.number(dtype, 0), emitter.number(dtype, hidden_score(dtype, form)));
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
TensorId biased(Formula& f, TensorId scores, TensorId bias, const AttentionForm& form) {
  if (f.dtype(bias) != DType::boolean) return f.add(scores, bias);
  return f.where(bias, scores, f.number(scores, hidden_score(f.dtype(scores), form)));
}

TensorId composed_attention(Formula& f, const Heads& heads, const AttentionForm& form) {
  const int64_t times = f.length(heads.query, 1) / std::max<int64_t>(f.length(heads.key, 1), 1);
  TensorId scores = f.matmul(f.mul(heads.query, form.scale), repeat_heads(f, heads.key, times), true);
  if (form.softcap != 0) scores = f.mul(f.tanh(f.div(scores, form.softcap)), form.softcap);
  for (const TensorId bias : form.biases) scores = biased(f, scores, bias, form);
  if (form.causal != Causal::none) scores = f.add(scores, causal_bias(f, heads, form));
  const TensorId weights =
      form.sinks ? softmax_beside(f, scores, heads.query, *form.sinks) : f.softmax(scores);
  return f.matmul(weights, repeat_heads(f, readable(f, heads.value, form), times));
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
  const int64_t heads = call.attributes.integer(attribute, 0);
  if (heads < 1) return damaged("The number of heads (", heads, ") is not positive.");
  return heads;
}

TensorId with_past(Formula& f, size_t input, TensorId x) {
  if (!f.call().has(input)) return x;
  return f.concat({f.input(input), x}, 2);
}

double masked_score(DType dtype) { return dtype == DType::f16 ? -6e4 : -1e30; }

TensorId attention(Formula& f, const Heads& heads, const AttentionForm& form) {
  if (!is_one_operator(f, heads, form)) return composed_attention(f, heads, form);
  Ids operands{heads.query, heads.key, heads.value};
  if (form.biases.size() == 1) operands.push_back(form.biases[0]);
  if (form.biases.size() > 1) {
    for (size_t i = 1; i < operands.size(); ++i) operands[i] = readable(f, operands[i], form);
    TensorId sum = as_numbers(f, form.biases[0], f.dtype(heads.query), form);
    for (size_t i = 1; i < form.biases.size(); ++i)
      sum = f.add(sum, as_numbers(f, form.biases[i], f.dtype(heads.query), form));
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

TensorId mask_bias(Formula& f, TensorId mask, DType dtype, int64_t total, double negative) {
  TensorId is_seen;
  if (f.rank(mask) == 1) {
    const TensorId positions = f.indices(f.dtype(mask), {1, total}, [](int64_t i) { return i; });
    is_seen = f.unsqueeze(f.less(positions, f.unsqueeze(mask, {1})), {1, 2});
  } else {
    const bool is_flag = f.dtype(mask) == DType::boolean;
    const TensorId flag = is_flag ? mask : f.emit(OH_NN_OPS_NOT_EQUAL, {mask, f.number(mask, 0)});
    is_seen = f.unsqueeze(flag, f.rank(mask) == 2   ? List<int64_t>{1, 2}
                                : f.rank(mask) == 3 ? List<int64_t>{1}
                                                    : List<int64_t>{});
  }
  Emitter& emitter = f.call().emitter();
  return f.where(is_seen, emitter.number(dtype, 0), emitter.number(dtype, negative));
}

TensorId rotated(Formula& f, TensorId x, TensorId cosines, TensorId sines, bool interleaved) {
  const int64_t size = f.length(x, 3), turning = 2 * f.length(cosines, -1);
  if (turning > size || f.length(sines, -1) * 2 != turning)
    f.fail(damaged("Angles for ", turning, " elements do not fit heads of ", size, "."));
  const auto beside_heads = [&](TensorId id) { return f.rank(id) == 3 ? f.unsqueeze(id, {1}) : id; };
  return f.emit(extension(OH_NN_OPS_ROTARY_EMBEDDING), {x, beside_heads(cosines), beside_heads(sines)},
                {bool_parameter(extension(OH_NN_ROTARY_EMBEDDING_INTERLEAVED), interleaved)});
}

}  // namespace nnrt::import::onnx
