// Attention of ONNX opset 23, and ONNX Runtime's variants.
#include "tools/import/onnx/contrib/onnx_attention.h"

#include <algorithm>

namespace nnrt::import::onnx {
namespace {

Causal unidirectional(const Call& call) {
  return call.attributes.integer("unidirectional", 0) != 0 ? Causal::to_last : Causal::none;
}

// In opset 23, heads are a separate dimension or part of the last one.
Result<Ids> onnx_attention(Call& call) {
  Formula f(call);
  const Attributes& attributes = call.attributes;
  const bool flat = call.has(0) && f.rank(f.input(0)) == 3;
  const auto heads = [&](size_t input, std::string_view attribute) {
    const TensorId x = f.input(input);
    return flat ? split_heads(f, x, attributes.integer(attribute, 0)) : x;
  };
  Heads all{heads(0, "q_num_heads"), heads(1, "kv_num_heads"), heads(2, "kv_num_heads")};
  constexpr size_t kMask = 3, kPast = 4;
  all.key = with_past(f, kPast, all.key);
  all.value = with_past(f, kPast + 1, all.value);
  if (call.wants(3)) return unsupported("Attention scores as an output are not supported.");
  const Ids present{all.key, all.value};
  AttentionForm form{.scale = scale_of(f, all.query), .softcap = attributes.real("softcap", 0)};
  if (call.has(kMask)) form.biases.push_back(f.input(kMask));
  if (attributes.integer("is_causal", 0) != 0) form.causal = Causal::to_position;
  if (form.causal != Causal::none && call.has(kPast))
    return unsupported("Causal attention with a past is not supported.");
  const TensorId y = attention(f, all, form);
  return Ids{flat ? merge_heads(f, y) : y, present[0], present[1]};
}

// Score biases of ONNX Runtime's variants.
Result<Ids> score_biases(Formula& f, size_t mask, size_t bias, TensorId query, TensorId key) {
  Call& call = f.call();
  const DType dtype = f.dtype(query);
  Ids biases;
  if (call.has(mask)) {
    const TensorId given = f.input(mask);
    const Dims& shape = f.shape(given);
    if (shape.size() == 1 && shape[0] != f.shape(query)[0])
      return unsupported("A mask of shape ", to_string(shape), " is not supported.");
    if (shape.size() > 3) return unsupported("A mask of rank ", shape.size(), " is not supported.");
    const double negative = call.attributes.real("mask_filter_value", -10000);
    biases.push_back(mask_bias(f, given, dtype, shape.size() == 1 ? f.length(key, 2) : 1, negative));
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
  if (call.has(6)) return unsupported("A past that shares its buffer with the present is not supported.");
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
  constexpr size_t kMask = 3, kPast = 4, kBias = 5;
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
  return Ids{y, f.concat({f.unsqueeze(all.key, {0}), f.unsqueeze(all.value, {0})}, 0)};
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
  constexpr size_t kMask = 4, kScores = 5, kPast = 6;
  Heads all{as_heads(q, 0), as_heads(k, width), as_heads(v, 2 * width)};
  all.key = with_past(f, kPast, all.key);
  all.value = with_past(f, kPast + 1, all.value);
  AttentionForm form{.scale = scale_of(f, all.query), .causal = unidirectional(call)};
  NNRT_ASSIGN(form.biases, score_biases(f, kMask, kScores, all.query, all.key));
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
  return rotate_heads(f, x, call.attributes.integer("num_heads", 0), angles);
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
  int64_t heads = call.attributes.integer("num_heads", 0);
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
