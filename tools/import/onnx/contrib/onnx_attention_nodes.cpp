// Attention of ONNX, and ONNX Runtime's variants.
#include "tools/import/onnx/contrib/onnx_attention.h"

#include <algorithm>
#include <limits>

namespace nnrt::import::onnx {
namespace {

Causal unidirectional(const Call& call) {
  return call.attributes.flag("unidirectional") ? Causal::to_last : Causal::none;
}

// Inputs of ONNX's operator.
constexpr size_t kMask = 3, kPast = 4, kFilled = 6;

// The number of keys in each batch element that are no padding, [batch, 1, 1, 1].
TensorId filled_lengths(Call& call) {
  return call.cast(call.regroup(call.input(kFilled), {-1, 1, 1, 1}), DType::i32);
}

// The position of each query among the keys, [length, 1] or [batch, 1, length, 1].
TensorId own_positions(Call& call, TensorId query) {
  const TensorId steps = call.regroup(numbers_along(call, query, 2), {-1, 1});
  if (call.has(kPast)) return call.add(steps, length_at(call, call.input(kPast), 2));
  if (!call.has(kFilled)) return steps;
  return call.add(steps, call.sub(filled_lengths(call), length_at(call, query, 2)));
}

// From opset 24 on, a shorter mask hides the keys that it lacks.
TensorId whole_mask(Call& call, TensorId mask, TensorId key) {
  constexpr int64_t kMayBeShorter = 24;
  if (call.rank(mask) == 0 || call.opset() < kMayBeShorter) return mask;
  const int64_t length = call.shape(mask).back(), total = call.shape(key)[2];
  if (length == kUnknown || total == kUnknown || length >= total) return mask;
  List<int64_t> pads(2 * call.shape(mask).size(), 0);
  pads.back() = total - length;
  const float fill = call.dtype(mask) == DType::boolean ? 0 : -std::numeric_limits<float>::infinity();
  return call.padded(mask, pads, fill);
}

// The keys that the mask, the window and the lengths of the batch elements show, and what the mask adds.
Ids onnx_biases(Call& call, const Heads& heads, const Window& window) {
  Ids seen, biases;
  if (window.before >= 0 || window.after >= 0)
    seen.push_back(
        seen_keys(call, own_positions(call, heads.query), numbers_along(call, heads.key, 2), window));
  if (call.has(kFilled)) seen.push_back(call.less(numbers_along(call, heads.key, 2), filled_lengths(call)));
  if (call.has(kMask)) {
    const TensorId mask = whole_mask(call, call.input(kMask), heads.key);
    (call.dtype(mask) == DType::boolean ? seen : biases).push_back(mask);
  }
  if (seen.empty()) return biases;
  TensorId all = seen[0];
  for (size_t i = 1; i < seen.size(); ++i) all = call.emit(Op::logical_and, {all, seen[i]});
  biases.push_back(all);
  return biases;
}

// Heads are a separate dimension or part of the last one.
Ids onnx_attention(Call& call) {
  const Attributes& attributes = call.attributes;
  const bool flat = call.has(0) && call.rank(call.input(0)) == 3;
  const auto heads = [&](size_t input, std::string_view attribute) {
    const TensorId x = call.input(input);
    return flat ? split_heads(call, x, attributes.count(attribute, 0)) : x;
  };
  Heads all{heads(0, "q_num_heads"), heads(1, "kv_num_heads"), heads(2, "kv_num_heads")};
  for (const TensorId x : {all.query, all.key, all.value})
    if (call.rank(x) != 4) fail(damaged("An operand of shape ", to_string(call.shape(x)), " has no heads."));
  if (call.has(kPast) && call.has(kFilled))
    fail(damaged("Past keys and the lengths of a cache cannot be given together."));
  const int64_t added = call.shape(all.key)[2];
  all.key = with_past(call, kPast, all.key);
  all.value = with_past(call, kPast + 1, all.value);
  AttentionForm form{.scale = scale_of(call, all.query), .softcap = attributes.real("softcap", 0)};
  Window window{attributes.integer("left_window_size", -1), attributes.integer("right_window_size", -1)};
  if (attributes.flag("is_causal")) window.after = 0;
  const bool ends_alike = added != kUnknown && added == call.shape(all.query)[2];
  if (window.before < 0 && window.after == 0 && !call.has(kFilled) && (!call.has(kPast) || ends_alike)) {
    form.causal = call.has(kPast) ? Causal::to_last : Causal::to_position;
    window = {};
  }
  form.biases = onnx_biases(call, all, window);
  if (call.has(kFilled)) {
    const TensorId numbers = call.regroup(numbers_along(call, all.key, 2), {-1, 1});
    form.filled = call.less(numbers, filled_lengths(call));
  }
  constexpr size_t kScores = 3;
  const int64_t stage = attributes.integer("qk_matmul_output_mode", 0);
  if (stage < 0 || stage > static_cast<int64_t>(Stage::softmax))
    fail(damaged("The mode of the scores (", stage, ") is outside [0, 3]."));
  Scores scores{static_cast<Stage>(stage)};
  const TensorId y = attention(call, all, form, call.wants(kScores) ? &scores : nullptr);
  return {flat ? merge_heads(call, y) : y, all.key, all.value, scores.made};
}

// The keys that an integer mask of ONNX Runtime's variants shows, with the rank of the scores. Of rank 1 it
// has for each batch element the number of keys, perhaps followed by the first key, or by two lists of where
// the elements of a packed batch begin.
TensorId unmasked(Call& call, TensorId mask, TensorId query, TensorId key) {
  const Dims shape = call.shape(mask);
  if (shape.size() == 2 || shape.size() == 3) {
    const TensorId seen =
        call.dtype(mask) == DType::boolean ? mask : call.emit(Op::not_equal, {mask, call.number(mask, 0)});
    return call.unsqueeze(seen, shape.size() == 2 ? List<int64_t>{1, 2} : List<int64_t>{1});
  }
  const int64_t batch = call.shape(query)[0];
  const bool has_starts = shape.size() == 1 && batch != kUnknown && shape[0] == 2 * batch;
  const bool is_packed = shape.size() == 1 && batch != kUnknown && shape[0] == 3 * batch + 2;
  if (shape.size() != 1 || (shape[0] != batch && !has_starts && !is_packed))
    fail(unsupported("A mask of shape ", to_string(shape), " is not supported."));
  const auto limits = [&](int64_t first) {
    const TensorId part = shape[0] == batch ? mask : call.slice(mask, 0, first, first + batch);
    return call.cast(call.regroup(part, {-1, 1, 1, 1}), DType::i32);
  };
  const TensorId numbers = numbers_along(call, key, 2), before_end = call.less(numbers, limits(0));
  if (!has_starts) return before_end;
  return call.emit(Op::logical_and, {before_end, call.emit(Op::greater_equal, {numbers, limits(batch)})});
}

// Score biases of ONNX Runtime's variants.
Ids score_biases(Call& call, size_t mask, size_t bias, TensorId query, TensorId key) {
  Ids biases;
  if (call.has(mask)) {
    const TensorId seen = unmasked(call, call.input(mask), query, key);
    const DType dtype = call.dtype(query);
    const double hidden = call.attributes.real("mask_filter_value", -10000);
    biases.push_back(call.where(seen, call.number(dtype, 0), call.number(dtype, hidden)));
  }
  if (call.has(bias)) biases.push_back(call.input(bias));
  return biases;
}

// The product's columns are queries, keys and values.
Ids packed_attention(Call& call) {
  const int64_t heads = heads_of(call);
  if (call.attributes.flag("do_rotary")) fail(unsupported("Rotation within Attention is not supported."));
  if (call.has(6)) fail(unsupported("Sharing a buffer between past and present is not supported."));
  const TensorId x = call.input(0), weights = call.input(1);
  TensorId product = call.matmul(x, weights);
  if (call.has(2)) product = call.add(product, call.input(2));
  const int64_t width = call.length(product, 2);
  List<int64_t> sizes = call.attributes.integers("qkv_hidden_sizes");
  if (sizes.empty()) sizes = {width / 3, width / 3, width / 3};
  const auto fits = [&](int64_t size) { return size >= 1 && size <= width; };
  if (sizes.size() != 3 || !std::ranges::all_of(sizes, fits) || sizes[1] != sizes[0] ||
      sizes[0] + sizes[1] + sizes[2] != width)
    fail(damaged("The sizes of queries, keys and values do not match the product."));
  const auto part = [&](int64_t begin, int64_t size) {
    return split_heads(call, call.slice(product, 2, begin, begin + size), heads);
  };
  Heads all{part(0, sizes[0]), part(sizes[0], sizes[1]), part(sizes[0] + sizes[1], sizes[2])};
  constexpr size_t kBias = 5;
  if (call.has(kPast)) {
    const TensorId past = call.input(kPast);
    const auto half = [&](int64_t i) { return call.gather(past, call.number(DType::i64, double(i)), 0); };
    all.key = call.concat({half(0), all.key}, 2);
    all.value = call.concat({half(1), all.value}, 2);
  }
  AttentionForm form{.scale = scale_of(call, all.query), .causal = unidirectional(call)};
  form.biases = score_biases(call, kMask, kBias, all.query, all.key);
  const TensorId y = merge_heads(call, attention(call, all, form));
  if (!call.wants(1)) return {y};
  return {y, call.concat({call.unsqueeze(all.key, {0}), call.unsqueeze(all.value, {0})}, 0)};
}

// Adds one third of the combined query/key/value bias.
TensorId with_bias(Call& call, TensorId x, int64_t begin) {
  constexpr size_t kBias = 3;
  if (!call.has(kBias)) return x;
  return call.add(x, call.slice(call.input(kBias), 0, begin, begin + call.length(x, 2)));
}

Ids multi_head_attention(Call& call) {
  const int64_t heads = heads_of(call);
  if (!call.has(1) || !call.has(2)) fail(unsupported("Packed queries, keys and values are not supported."));
  const TensorId q = call.input(0), k = call.input(1), v = call.input(2);
  if (call.rank(q) != 3) fail(unsupported("Queries of rank ", call.rank(q), " are not supported."));
  const int64_t width = call.length(q, 2);
  const auto as_heads = [&](TensorId x, int64_t begin) {
    return call.rank(x) == 4 ? x : split_heads(call, with_bias(call, x, begin), heads);
  };
  constexpr size_t kPadding = 4, kAdded = 5, kPastKeys = 6;
  Heads all{as_heads(q, 0), as_heads(k, width), as_heads(v, 2 * width)};
  all.key = with_past(call, kPastKeys, all.key);
  all.value = with_past(call, kPastKeys + 1, all.value);
  AttentionForm form{.scale = scale_of(call, all.query), .causal = unidirectional(call)};
  form.biases = score_biases(call, kPadding, kAdded, all.query, all.key);
  return {merge_heads(call, attention(call, all, form)), all.key, all.value};
}

struct Angles {
  TensorId cosines = 0, sines = 0;
};

// Table rows selected by positions, [batch, length, size / 2].
Angles angles_at(Call& call, size_t table, TensorId positions) {
  return {call.gather(call.input(table), positions, 0), call.gather(call.input(table + 1), positions, 0)};
}

// x may have its heads within the last dimension.
Ids rotate_heads(Call& call, TensorId x, int64_t heads, const Angles& angles) {
  const bool interleaved = call.attributes.flag("interleaved");
  if (call.rank(x) == 4) return {rotated(call, x, angles.cosines, angles.sines, interleaved)};
  const TensorId split = split_heads(call, x, heads);
  return {merge_heads(call, rotated(call, split, angles.cosines, angles.sines, interleaved))};
}

Ids onnx_rotary_embedding(Call& call) {
  const TensorId x = call.input(0);
  constexpr size_t kTables = 1, kPositions = 3;
  const Angles angles = call.has(kPositions) ? angles_at(call, kTables, call.input(kPositions))
                                             : Angles{call.input(kTables), call.input(kTables + 1)};
  return rotate_heads(call, x, call.attributes.count("num_heads", 0), angles);
}

// Positions are given per element, or for the first element only.
Ids rotary_embedding(Call& call) {
  if (call.attributes.real("scale", 1) != 1) fail(unsupported("A rotation scale is not supported."));
  if (call.attributes.flag("is_packed_batching")) fail(unsupported("Packed sequences are not supported."));
  const TensorId x = call.input(0);
  TensorId positions = call.input(1);
  const bool flat = call.rank(x) == 3;
  int64_t heads = call.attributes.count("num_heads", 0);
  constexpr size_t kTables = 2;
  if (flat && heads == 0)
    heads = call.length(x, 2) / std::max<int64_t>(2 * call.length(call.input(kTables), 1), 1);
  if (call.rank(positions) == 1) {
    const int64_t length = call.length(x, flat ? 1 : 2);
    const TensorId steps = call.indices(DType::i64, {length}, [](int64_t i) { return i; });
    positions = call.add(steps, call.cast(positions, DType::i64));
  }
  return rotate_heads(call, x, heads, angles_at(call, kTables, positions));
}

}  // namespace

std::vector<Row> attention_rows() {
  return {
      {"Attention", onnx_attention},
      runtime_row("Attention", packed_attention),
      runtime_row("MultiHeadAttention", multi_head_attention),
      {"RotaryEmbedding", onnx_rotary_embedding},
      runtime_row("RotaryEmbedding", rotary_embedding),
  };
}

}  // namespace nnrt::import::onnx
