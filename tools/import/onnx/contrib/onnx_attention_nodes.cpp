// Attention of ONNX opset 23, and ONNX Runtime's variants.
#include "tools/import/onnx/contrib/onnx_attention.h"

#include <algorithm>
#include <cmath>

namespace nnrt::import::onnx {
namespace {

// Scale of the scores: 1 / sqrt(size) unless the node sets it.
double scale_of(Formula& f, TensorId query) {
  const double given = f.call().attributes.real("scale", 0);
  return given != 0 ? given : 1 / std::sqrt(static_cast<double>(f.length(query, 3)));
}

Result<int64_t> heads_of(const Call& call, std::string_view attribute = "num_heads") {
  const int64_t heads = call.attributes.integer(attribute, 0);
  if (heads < 1) return damaged("The number of heads (", heads, ") is not positive.");
  return heads;
}

Causal unidirectional(const Call& call) {
  return call.attributes.integer("unidirectional", 0) != 0 ? Causal::to_last : Causal::none;
}

// Prepends past keys or values.
TensorId with_past(Formula& f, size_t input, TensorId x) {
  if (!f.call().has(input)) return x;
  return f.concat({f.input(input), x}, 2);
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
  NNRT_TRY(f.results({}));
  if (call.wants(3)) return unsupported("Scores of attention as a result are not supported.");
  const Ids present{all.key, all.value};
  AttentionForm form{.scale = scale_of(f, all.query), .softcap = attributes.real("softcap", 0)};
  if (call.has(kMask)) form.biases.push_back(f.input(kMask));
  if (attributes.integer("is_causal", 0) != 0) form.causal = Causal::to_position;
  if (form.causal != Causal::none && call.has(kPast))
    return unsupported("Causal attention with a past is not supported.");
  const TensorId y = attention(f, all, form);
  return f.results({flat ? merge_heads(f, y) : y, present[0], present[1]});
}

// Score biases of ONNX Runtime's variants.
Result<Ids> score_biases(Formula& f, size_t mask, size_t bias, TensorId query, TensorId key) {
  Call& call = f.call();
  const DType dtype = f.dtype(query);
  Ids biases;
  if (call.has(mask)) {
    const TensorId given = f.input(mask);
    const nnrt::Shape& shape = f.shape(given);
    if (shape.size() == 1 && shape[0] != f.shape(query)[0])
      return unsupported("A mask of shape ", to_string(shape), " is not supported.");
    if (shape.size() > 3) return unsupported("A mask of rank ", shape.size(), " is not supported.");
    const double negative = call.attributes.real("mask_filter_value", -10000);
    biases.push_back(mask_bias(f, given, dtype, shape.size() == 1 ? f.length(key, 2) : 1, negative));
  }
  if (call.has(bias)) biases.push_back(f.input(bias));
  return f.results(biases);
}

// The product's columns are queries, keys and values.
Result<Ids> packed_attention(Call& call) {
  Formula f(call);
  NNRT_ASSIGN(const int64_t heads, heads_of(call));
  if (call.attributes.integer("do_rotary", 0) != 0)
    return unsupported("Rotation within Attention is not supported.");
  if (call.has(6)) return unsupported("A past that shares its memory is not supported.");
  const TensorId x = f.input(0), weights = f.input(1);
  TensorId product = f.matmul(x, weights);
  if (call.has(2)) product = f.add(product, f.input(2));
  const int64_t width = f.length(product, 2);
  std::vector<int64_t> sizes = call.attributes.integers("qkv_hidden_sizes");
  if (sizes.empty()) sizes = {width / 3, width / 3, width / 3};
  NNRT_TRY(f.results({}));
  const auto fits = [&](int64_t size) { return size >= 1 && size <= width; };
  if (sizes.size() != 3 || !std::ranges::all_of(sizes, fits) || sizes[1] != sizes[0] ||
      sizes[0] + sizes[1] + sizes[2] != width)
    return damaged("The sizes of queries, keys and values are not those of the product.");
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
  NNRT_TRY(f.results({}));
  AttentionForm form{.scale = scale_of(f, all.query), .causal = unidirectional(call)};
  NNRT_ASSIGN(form.biases, score_biases(f, kMask, kBias, all.query, all.key));
  const TensorId y = merge_heads(f, attention(f, all, form));
  if (!call.wants(1)) return f.results({y});
  return f.results({y, f.concat({f.unsqueeze(all.key, {0}), f.unsqueeze(all.value, {0})}, 0)});
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
  NNRT_TRY(f.results({}));
  if (f.rank(q) != 3) return unsupported("Queries of rank ", f.rank(q), " are not supported.");
  const int64_t width = f.length(q, 2);
  const auto as_heads = [&](TensorId x, int64_t begin) {
    return f.ok() && f.rank(x) == 4 ? x : split_heads(f, with_bias(f, x, begin), heads);
  };
  constexpr size_t kMask = 4, kScores = 5, kPast = 6;
  Heads all{as_heads(q, 0), as_heads(k, width), as_heads(v, 2 * width)};
  all.key = with_past(f, kPast, all.key);
  all.value = with_past(f, kPast + 1, all.value);
  NNRT_TRY(f.results({}));
  AttentionForm form{.scale = scale_of(f, all.query), .causal = unidirectional(call)};
  NNRT_ASSIGN(form.biases, score_biases(f, kMask, kScores, all.query, all.key));
  return f.results({merge_heads(f, attention(f, all, form)), all.key, all.value});
}

// Table rows for a sequence of positions: the rotation angles.
TensorId rows_at(Formula& f, size_t table, int64_t first, int64_t count) {
  return f.slice(f.input(table), 0, first, first + count);
}

Status check_group_query(const Call& call) {
  const Attributes& attributes = call.attributes;
  if (attributes.integer("smooth_softmax", 0) > 0) return unsupported("A smooth softmax is not supported.");
  if (!call.has(1) || !call.has(2)) return unsupported("Packed queries, keys and values are not supported.");
  if (call.has(9)) return unsupported("Positions as an input are not supported.");
  return {};
}

// Requires sequence lengths that match the tensors.
Status check_lengths(Call& call, int64_t total) {
  constexpr size_t kLengths = 5;
  if (!call.has(kLengths)) return {};
  NNRT_ASSIGN(const TensorId id, call.plain_input(kLengths));
  const auto known = call.emitter().known_integers(id);
  const auto is_full = [&](int64_t last) { return last == total - 1; };
  if (!known) return unsupported("Lengths of sequences that only a run knows are not supported.");
  if (std::ranges::all_of(*known, is_full)) return {};
  return unsupported("Sequences shorter than their tensors are not supported.");
}

// Every sequence must have the full length: past elements followed by new ones.
Result<Ids> group_query_attention(Call& call) {
  Formula f(call);
  NNRT_TRY(check_group_query(call));
  NNRT_ASSIGN(const int64_t heads, heads_of(call));
  NNRT_ASSIGN(const int64_t groups, heads_of(call, "kv_num_heads"));
  if (heads % groups != 0)
    return damaged("The heads (", heads, ") are no multiple of the groups (", groups, ").");
  Heads all{split_heads(f, f.input(0), heads), split_heads(f, f.input(1), groups),
            split_heads(f, f.input(2), groups)};
  constexpr size_t kPast = 3, kCosines = 7, kBias = 10;
  const bool has_past = call.has(kPast);
  const int64_t before = has_past ? f.length(f.input(kPast), 2) : 0, length = f.length(all.query, 2);
  NNRT_TRY(f.results({}));
  NNRT_TRY(check_lengths(call, before + length));
  const Attributes& attributes = call.attributes;
  if (attributes.integer("do_rotary", 0) != 0) {
    const bool interleaved = attributes.integer("rotary_interleaved", 0) != 0;
    const TensorId cosines = rows_at(f, kCosines, before, length),
                   sines = rows_at(f, kCosines + 1, before, length);
    all.query = rotated(f, all.query, cosines, sines, interleaved);
    all.key = rotated(f, all.key, cosines, sines, interleaved);
  }
  all.key = with_past(f, kPast, all.key);
  all.value = with_past(f, kPast + 1, all.value);
  NNRT_TRY(f.results({}));
  const Ids present{all.key, all.value};
  const int64_t reach = attributes.integer("local_window_size", -1);
  AttentionForm form{.scale = scale_of(f, all.query),
                     .softcap = attributes.real("softcap", 0),
                     .causal = Causal::to_last,
                     .reach = reach < 1 ? -1 : reach - 1};
  if (call.has(kBias)) form.biases.push_back(f.input(kBias));
  return f.results({merge_heads(f, attention(f, all, form)), present[0], present[1]});
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
  if (f.rank(x) == 4) return f.results({rotated(f, x, angles.cosines, angles.sines, interleaved)});
  const TensorId split = split_heads(f, x, heads);
  return f.results({merge_heads(f, rotated(f, split, angles.cosines, angles.sines, interleaved))});
}

Result<Ids> onnx_rotary_embedding(Call& call) {
  Formula f(call);
  const TensorId x = f.input(0);
  constexpr size_t kTables = 1, kPositions = 3;
  const Angles angles = call.has(kPositions) ? angles_at(f, kTables, f.input(kPositions))
                                             : Angles{f.input(kTables), f.input(kTables + 1)};
  NNRT_TRY(f.results({}));
  return rotate_heads(f, x, call.attributes.integer("num_heads", 0), angles);
}

// Positions are given per element, or for the first element only.
Result<Ids> rotary_embedding(Call& call) {
  Formula f(call);
  if (call.attributes.real("scale", 1) != 1) return unsupported("A scale of the rotation is not supported.");
  if (call.attributes.integer("is_packed_batching", 0) != 0)
    return unsupported("Packed sequences are not supported.");
  const TensorId x = f.input(0);
  TensorId positions = f.input(1);
  NNRT_TRY(f.results({}));
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
      {"GroupQueryAttention", group_query_attention, {}, kNoQuantizedInputs, false, kMicrosoft},
      {"MultiHeadAttention", multi_head_attention, {}, kNoQuantizedInputs, false, kMicrosoft},
      {"RotaryEmbedding", onnx_rotary_embedding},
      {"RotaryEmbedding", rotary_embedding, {}, kNoQuantizedInputs, false, kMicrosoft},
  };
}

}  // namespace nnrt::import::onnx
