// Attention of ONNX, and ONNX Runtime's variants.
#include "tools/import/onnx/contrib/onnx_attention.h"

#include <algorithm>
#include <limits>

namespace nnrt::import::onnx {
namespace {

Causal unidirectional(const Call& call) {
  return call.attributes.integer("unidirectional", 0) != 0 ? Causal::to_last : Causal::none;
}

// Inputs of ONNX's operator.
constexpr size_t kMask = 3, kPast = 4, kFilled = 6;

// The number of keys in each batch element that are no padding, [batch, 1, 1, 1].
TensorId filled_lengths(Formula& f) { return f.cast(f.regroup(f.input(kFilled), {-1, 1, 1, 1}), DType::i32); }

// The position of each query among the keys, [length, 1] or [batch, 1, length, 1].
TensorId own_positions(Formula& f, TensorId query) {
  const TensorId steps = f.regroup(numbers_along(f, query, 2), {-1, 1});
  if (f.call().has(kPast)) return f.add(steps, length_at(f, f.input(kPast), 2));
  if (!f.call().has(kFilled)) return steps;
  return f.add(steps, f.sub(filled_lengths(f), length_at(f, query, 2)));
}

// From opset 24 on, a shorter mask hides the keys that it lacks.
TensorId whole_mask(Formula& f, TensorId mask, TensorId key) {
  constexpr int64_t kMayBeShorter = 24;
  if (f.rank(mask) == 0 || f.call().opset() < kMayBeShorter) return mask;
  const int64_t length = f.shape(mask).back(), total = f.shape(key)[2];
  if (length == kUnknown || total == kUnknown || length >= total) return mask;
  List<int64_t> pads(2 * f.shape(mask).size(), 0);
  pads.back() = total - length;
  const TensorId paddings = f.reshape(f.integers(pads), {f.rank(mask), 2});
  const float fill = f.dtype(mask) == DType::boolean ? 0 : -std::numeric_limits<float>::infinity();
  return f.emit(OH_NN_OPS_PAD, {mask, paddings}, {float_parameter(OH_NN_PAD_CONSTANT_VALUE, fill)});
}

// The keys that the mask, the window and the lengths of the batch elements show, and what the mask adds.
Ids onnx_biases(Formula& f, const Heads& heads, const Window& window) {
  Call& call = f.call();
  Ids seen, biases;
  if (window.before >= 0 || window.after >= 0)
    seen.push_back(seen_keys(f, own_positions(f, heads.query), numbers_along(f, heads.key, 2), window));
  if (call.has(kFilled)) seen.push_back(f.less(numbers_along(f, heads.key, 2), filled_lengths(f)));
  if (call.has(kMask)) {
    const TensorId mask = whole_mask(f, f.input(kMask), heads.key);
    (f.dtype(mask) == DType::boolean ? seen : biases).push_back(mask);
  }
  if (seen.empty()) return biases;
  TensorId all = seen[0];
  for (size_t i = 1; i < seen.size(); ++i) all = f.emit(OH_NN_OPS_LOGICAL_AND, {all, seen[i]});
  biases.push_back(all);
  return biases;
}

// Heads are a separate dimension or part of the last one.
Result<Ids> onnx_attention(Call& call) {
  Formula f(call);
  const Attributes& attributes = call.attributes;
  const bool flat = call.has(0) && f.rank(f.input(0)) == 3;
  const auto heads = [&](size_t input, std::string_view attribute) {
    const TensorId x = f.input(input);
    return flat ? split_heads(f, x, attributes.count(attribute, 0)) : x;
  };
  Heads all{heads(0, "q_num_heads"), heads(1, "kv_num_heads"), heads(2, "kv_num_heads")};
  for (const TensorId x : {all.query, all.key, all.value})
    if (f.rank(x) != 4) return damaged("An operand of shape ", to_string(f.shape(x)), " has no heads.");
  if (call.has(kPast) && call.has(kFilled))
    return damaged("Past keys and the lengths of a cache cannot be given together.");
  const int64_t added = f.shape(all.key)[2];
  all.key = with_past(f, kPast, all.key);
  all.value = with_past(f, kPast + 1, all.value);
  AttentionForm form{.scale = scale_of(f, all.query), .softcap = attributes.real("softcap", 0)};
  Window window{attributes.integer("left_window_size", -1), attributes.integer("right_window_size", -1)};
  if (attributes.integer("is_causal", 0) != 0) window.after = 0;
  const bool ends_alike = added != kUnknown && added == f.shape(all.query)[2];
  if (window.before < 0 && window.after == 0 && !call.has(kFilled) && (!call.has(kPast) || ends_alike)) {
    form.causal = call.has(kPast) ? Causal::to_last : Causal::to_position;
    window = {};
  }
  form.biases = onnx_biases(f, all, window);
  if (call.has(kFilled)) {
    const TensorId numbers = f.regroup(numbers_along(f, all.key, 2), {-1, 1});
    form.filled = f.less(numbers, filled_lengths(f));
  }
  constexpr size_t kScores = 3;
  const int64_t stage = attributes.integer("qk_matmul_output_mode", 0);
  if (stage < 0 || stage > static_cast<int64_t>(Stage::softmax))
    return damaged("The mode of the scores (", stage, ") is outside [0, 3].");
  Scores scores{static_cast<Stage>(stage)};
  const TensorId y = attention(f, all, form, call.wants(kScores) ? &scores : nullptr);
  return Ids{flat ? merge_heads(f, y) : y, all.key, all.value, scores.made};
}

// The keys that an integer mask of ONNX Runtime's variants shows, with the rank of the scores. Of rank 1 it
// has for each batch element the number of keys, perhaps followed by the first key, or by two lists of where
// the elements of a packed batch begin.
Result<TensorId> unmasked(Formula& f, TensorId mask, TensorId query, TensorId key) {
  const Dims shape = f.shape(mask);
  if (shape.size() == 2 || shape.size() == 3) {
    const TensorId seen =
        f.dtype(mask) == DType::boolean ? mask : f.emit(OH_NN_OPS_NOT_EQUAL, {mask, f.number(mask, 0)});
    return f.unsqueeze(seen, shape.size() == 2 ? List<int64_t>{1, 2} : List<int64_t>{1});
  }
  const int64_t batch = f.shape(query)[0];
  const bool has_starts = shape.size() == 1 && batch != kUnknown && shape[0] == 2 * batch;
  const bool is_packed = shape.size() == 1 && batch != kUnknown && shape[0] == 3 * batch + 2;
  if (shape.size() != 1 || (shape[0] != batch && !has_starts && !is_packed))
    return unsupported("A mask of shape ", to_string(shape), " is not supported.");
  const auto limits = [&](int64_t first) {
    const TensorId part = shape[0] == batch ? mask : f.slice(mask, 0, first, first + batch);
    return f.cast(f.regroup(part, {-1, 1, 1, 1}), DType::i32);
  };
  const TensorId numbers = numbers_along(f, key, 2), before_end = f.less(numbers, limits(0));
  if (!has_starts) return before_end;
  return f.emit(OH_NN_OPS_LOGICAL_AND,
                {before_end, f.emit(OH_NN_OPS_GREATER_EQUAL, {numbers, limits(batch)})});
}

// Score biases of ONNX Runtime's variants.
Result<Ids> score_biases(Formula& f, size_t mask, size_t bias, TensorId query, TensorId key) {
  Call& call = f.call();
  Ids biases;
  if (call.has(mask)) {
    NNRT_ASSIGN(const TensorId seen, unmasked(f, f.input(mask), query, key));
    const DType dtype = f.dtype(query);
    const double hidden = call.attributes.real("mask_filter_value", -10000);
    biases.push_back(f.where(seen, call.emitter().number(dtype, 0), call.emitter().number(dtype, hidden)));
  }
  if (call.has(bias)) biases.push_back(f.input(bias));
  return biases;
}

// The product's columns are queries, keys and values.
Result<Ids> packed_attention(Call& call) {
  Formula f(call);
  NNRT_ASSIGN(const int64_t heads, heads_of(call));
  if (call.attributes.integer("do_rotary", 0) != 0)
    return unsupported("Rotation within Attention is not supported.");
  if (call.has(6)) return unsupported("Sharing a buffer between past and present is not supported.");
  const TensorId x = f.input(0), weights = f.input(1);
  TensorId product = f.matmul(x, weights);
  if (call.has(2)) product = f.add(product, f.input(2));
  const int64_t width = f.length(product, 2);
  List<int64_t> sizes = call.attributes.integers("qkv_hidden_sizes");
  if (sizes.empty()) sizes = {width / 3, width / 3, width / 3};
  const auto fits = [&](int64_t size) { return size >= 1 && size <= width; };
  if (sizes.size() != 3 || !std::ranges::all_of(sizes, fits) || sizes[1] != sizes[0] ||
      sizes[0] + sizes[1] + sizes[2] != width)
    return damaged("The sizes of queries, keys and values do not match the product.");
  const auto part = [&](int64_t begin, int64_t size) {
    return split_heads(f, f.slice(product, 2, begin, begin + size), heads);
  };
  Heads all{part(0, sizes[0]), part(sizes[0], sizes[1]), part(sizes[0] + sizes[1], sizes[2])};
  constexpr size_t kBias = 5;
  if (call.has(kPast)) {
    const TensorId past = f.input(kPast);
    const auto half = [&](int64_t i) {
      return f.gather(past, call.emitter().number(DType::i64, double(i)), 0);
    };
    all.key = f.concat({half(0), all.key}, 2);
    all.value = f.concat({half(1), all.value}, 2);
  }
  AttentionForm form{.scale = scale_of(f, all.query), .causal = unidirectional(call)};
  NNRT_ASSIGN(form.biases, score_biases(f, kMask, kBias, all.query, all.key));
  const TensorId y = merge_heads(f, attention(f, all, form));
  if (!call.wants(1)) return Ids{y};
  return Ids({y, f.concat({f.unsqueeze(all.key, {0}), f.unsqueeze(all.value, {0})}, 0)});
}

// Adds one third of the combined query/key/value bias.
TensorId with_bias(Formula& f, TensorId x, int64_t begin) {
  constexpr size_t kBias = 3;
  if (!f.call().has(kBias)) return x;
  return f.add(x, f.slice(f.input(kBias), 0, begin, begin + f.length(x, 2)));
}

Result<Ids> multi_head_attention(Call& call) {
  Formula f(call);
  NNRT_ASSIGN(const int64_t heads, heads_of(call));
  if (!call.has(1) || !call.has(2)) return unsupported("Packed queries, keys and values are not supported.");
  const TensorId q = f.input(0), k = f.input(1), v = f.input(2);
  if (f.rank(q) != 3) return unsupported("Queries of rank ", f.rank(q), " are not supported.");
  const int64_t width = f.length(q, 2);
  const auto as_heads = [&](TensorId x, int64_t begin) {
    return f.rank(x) == 4 ? x : split_heads(f, with_bias(f, x, begin), heads);
  };
  constexpr size_t kPadding = 4, kAdded = 5, kPastKeys = 6;
  Heads all{as_heads(q, 0), as_heads(k, width), as_heads(v, 2 * width)};
  all.key = with_past(f, kPastKeys, all.key);
  all.value = with_past(f, kPastKeys + 1, all.value);
  AttentionForm form{.scale = scale_of(f, all.query), .causal = unidirectional(call)};
  NNRT_ASSIGN(form.biases, score_biases(f, kPadding, kAdded, all.query, all.key));
  return Ids{merge_heads(f, attention(f, all, form)), all.key, all.value};
}

struct Angles {
  TensorId cosines = 0, sines = 0;
};

// Table rows selected by positions, [batch, length, size / 2].
Angles angles_at(Formula& f, size_t table, TensorId positions) {
  return {f.gather(f.input(table), positions, 0), f.gather(f.input(table + 1), positions, 0)};
}

// x may have its heads within the last dimension.
Result<Ids> rotate_heads(Formula& f, TensorId x, int64_t heads, const Angles& angles) {
  const bool interleaved = f.call().attributes.integer("interleaved", 0) != 0;
  if (f.rank(x) == 4) return Ids{rotated(f, x, angles.cosines, angles.sines, interleaved)};
  const TensorId split = split_heads(f, x, heads);
  return Ids{merge_heads(f, rotated(f, split, angles.cosines, angles.sines, interleaved))};
}

Result<Ids> onnx_rotary_embedding(Call& call) {
  Formula f(call);
  const TensorId x = f.input(0);
  constexpr size_t kTables = 1, kPositions = 3;
  const Angles angles = call.has(kPositions) ? angles_at(f, kTables, f.input(kPositions))
                                             : Angles{f.input(kTables), f.input(kTables + 1)};
  return rotate_heads(f, x, call.attributes.count("num_heads", 0), angles);
}

// Positions are given per element, or for the first element only.
Result<Ids> rotary_embedding(Call& call) {
  Formula f(call);
  if (call.attributes.real("scale", 1) != 1) return unsupported("A rotation scale is not supported.");
  if (call.attributes.integer("is_packed_batching", 0) != 0)
    return unsupported("Packed sequences are not supported.");
  const TensorId x = f.input(0);
  TensorId positions = f.input(1);
  const bool flat = f.rank(x) == 3;
  int64_t heads = call.attributes.count("num_heads", 0);
  constexpr size_t kTables = 2;
  if (flat && heads == 0) heads = f.length(x, 2) / std::max<int64_t>(2 * f.length(f.input(kTables), 1), 1);
  if (f.rank(positions) == 1) {
    const int64_t length = f.length(x, flat ? 1 : 2);
    const TensorId steps = f.indices(DType::i64, {length}, [](int64_t i) { return i; });
    positions = f.add(steps, f.cast(positions, DType::i64));
  }
  return rotate_heads(f, x, heads, angles_at(f, kTables, positions));
}

}  // namespace

std::vector<Row> attention_rows() {
  constexpr std::string_view kMicrosoft = "com.microsoft";
  return {
      {"Attention", onnx_attention},
      {"Attention", packed_attention, {}, kNoQuantizedInputs, false, kMicrosoft},
      {"MultiHeadAttention", multi_head_attention, {}, kNoQuantizedInputs, false, kMicrosoft},
      {"RotaryEmbedding", onnx_rotary_embedding},
      {"RotaryEmbedding", rotary_embedding, {}, kNoQuantizedInputs, false, kMicrosoft},
  };
}

}  // namespace nnrt::import::onnx
