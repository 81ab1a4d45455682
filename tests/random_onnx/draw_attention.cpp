// Multi-head attention of ONNX and ONNX Runtime, and rotary embedding.
#include "tests/random_onnx/model_draft.h"

#include <cmath>

namespace nnrt::test {
namespace {

std::string int32s(Draft& draft, const Dimensions& shape, const std::vector<int32_t>& numbers) {
  return draft.raw("n", OnnxModel::kInt32, shape,
                   {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(int32_t)});
}

// x times constants, so that the last dimension has that length.
Drawn projected(Draft& draft, const Drawn& x, int64_t width) {
  Drawn made = x.mapped(1, 1);
  made.shape.back() = width;
  const double bound = 1.7 / std::sqrt(static_cast<double>(x.shape.back()));
  return draft.node("MatMul", {x.name, draft.floats({x.shape.back(), width}, -bound, bound)}, made);
}

bool packed_attention(Draft& draft, const Drawn& x) {
  if (!is_sequence(x)) return false;
  const int64_t heads = draft.random.of<int64_t>({1, 2, 3}), width = heads * draft.random.of<int64_t>({2, 4});
  const double bound = 1.7 / std::sqrt(static_cast<double>(x.shape[2]));
  Drawn made = x.mapped(x.scale, 8);
  made.shape[2] = width;
  Names inputs{x.name, draft.floats({x.shape[2], 3 * width}, -bound, bound),
               draft.floats({3 * width}, -0.5, 0.5)};
  if (draft.random.one_in(3)) {
    std::vector<int32_t> mask(static_cast<size_t>(x.shape[0] * x.shape[1]));
    for (int32_t& one : mask) one = draft.random.one_in(3) ? 0 : 1;
    inputs.push_back(int32s(draft, {x.shape[0], x.shape[1]}, mask));
  }
  fused(draft, "Attention", inputs, made);
  draft.model.with("num_heads", heads);
  if (draft.random.one_in(3) && inputs.size() == 3) draft.model.with("unidirectional", 1);
  return true;
}

bool multi_head_attention(Draft& draft, const Drawn& x) {
  if (!is_sequence(x)) return false;
  const int64_t heads = draft.random.of<int64_t>({1, 2, 3}), width = heads * draft.random.of<int64_t>({2, 4});
  const Drawn query = projected(draft, x, width);
  const Dimensions others{x.shape[0], draft.random.between(1, 5), width};
  Names inputs{query.name, draft.floats(others, -1, 1), draft.floats(others, -1, 1)};
  if (draft.random.one_in(2)) inputs.push_back(draft.floats({3 * width}, -0.5, 0.5));
  fused(draft, "MultiHeadAttention", inputs, query.mapped(1, 8));
  draft.model.with("num_heads", heads);
  return true;
}

// All sequences have full length, with or without a past.
bool group_query_attention(Draft& draft, const Drawn& x) {
  constexpr int64_t kSize = 16;
  if (!is_sequence(x)) return false;
  const int64_t groups = draft.random.of<int64_t>({1, 2}), heads = groups * draft.random.of<int64_t>({1, 2}),
                batch = x.shape[0], length = x.shape[1];
  const int64_t before = draft.random.one_in(2) && length == 1 ? draft.random.between(1, 5) : 0;
  const int64_t total = before + length;
  const Drawn query = projected(draft, x, heads * kSize);
  const Dimensions others{batch, length, groups * kSize}, past{batch, groups, before, kSize};
  const auto maybe_past = [&] { return before > 0 ? draft.floats(past, -1, 1) : std::string(); };
  Names inputs{query.name, draft.floats(others, -1, 1), draft.floats(others, -1, 1)};
  inputs.push_back(maybe_past());
  inputs.push_back(maybe_past());
  inputs.push_back(
      int32s(draft, {batch}, std::vector<int32_t>(static_cast<size_t>(batch), int32_t(total - 1))));
  inputs.push_back(int32s(draft, {}, {static_cast<int32_t>(total)}));
  const bool rotates = draft.random.one_in(2);
  for (int table = 0; rotates && table < 2; ++table)
    inputs.push_back(draft.floats({total + 3, kSize / 2}, -1, 1));
  Drawn made = query.mapped(1, 8);
  Drawn keys = made;
  keys.shape = {batch, groups, total, kSize};
  Drawn values = keys;
  made.name = draft.fresh("GroupQueryAttention_");
  keys.name = draft.fresh("keys_");
  values.name = draft.fresh("values_");
  draft.nodes("GroupQueryAttention", inputs, {made, keys, values});
  draft.model.domain("com.microsoft").with("num_heads", heads).with("kv_num_heads", groups);
  if (rotates) draft.model.with("do_rotary", 1).with("rotary_interleaved", draft.random.one_in(2) ? 1 : 0);
  return true;
}

bool rotation(Draft& draft, const Drawn& x) {
  constexpr int64_t kSize = 8, kPositions = 9;
  if (!is_sequence(x) || x.shape[1] > kPositions) return false;
  const int64_t heads = draft.random.of<int64_t>({1, 2});
  const Drawn y = projected(draft, x, heads * kSize);
  Dimensions positions;
  for (int64_t i = 0; i < x.shape[0] * x.shape[1]; ++i)
    positions.push_back(draft.random.between(0, kPositions - 1));
  const std::string bytes(reinterpret_cast<const char*>(positions.data()),
                          positions.size() * sizeof(int64_t));
  fused(draft, "RotaryEmbedding",
        {y.name, draft.raw("p", OnnxModel::kInt64, {x.shape[0], x.shape[1]}, bytes),
         draft.floats({kPositions, kSize / 2}, -1, 1), draft.floats({kPositions, kSize / 2}, -1, 1)},
        y.mapped(y.scale, 2));
  draft.model.with("interleaved", draft.random.one_in(2) ? 1 : 0);
  return true;
}

// Attention of opset 23, perhaps with past keys and values.
bool attention(Draft& draft, const Drawn& x) {
  if (!is_sequence(x)) return false;
  const int64_t groups = draft.random.of<int64_t>({1, 2}), heads = groups * draft.random.of<int64_t>({1, 2}),
                size = draft.random.of<int64_t>({2, 4}), batch = x.shape[0], length = x.shape[1];
  const int64_t past = draft.random.one_in(2) ? draft.random.between(1, 4) : 0,
                added = draft.random.one_in(2) ? length : draft.random.between(1, 5);
  const Drawn query = projected(draft, x, heads * size);
  Names inputs{query.name, draft.floats({batch, added, groups * size}, -1, 1),
               draft.floats({batch, added, groups * size}, -1, 1)};
  inputs.push_back(draft.random.one_in(2) ? draft.floats({length, past + added}, -1, 1) : "");
  for (int i = 0; i < (past > 0 ? 2 : 0); ++i)
    inputs.push_back(draft.floats({batch, groups, past, size}, -1, 1));
  Drawn made = query.mapped(1, 8), keys = made;
  keys.shape = {batch, groups, past + added, size};
  Drawn values = keys;
  made.name = draft.fresh("Attention_");
  keys.name = draft.fresh("keys_");
  values.name = draft.fresh("values_");
  draft.nodes("Attention", inputs, past > 0 ? std::vector{made, keys, values} : std::vector{made});
  draft.model.with("q_num_heads", heads).with("kv_num_heads", groups);
  draft.model.with("is_causal", draft.random.one_in(2) ? 1 : 0);
  if (draft.random.one_in(3)) draft.model.with("softcap", 2.0);
  return true;
}

// As exporters write it: products, a scale, a mask, a softmax.
bool written_attention(Draft& draft, const Drawn& x) {
  if (!is_sequence(x)) return false;
  const int64_t heads = draft.random.of<int64_t>({1, 2}), size = draft.random.of<int64_t>({2, 3, 4}),
                batch = x.shape[0], length = x.shape[1], total = draft.random.between(1, 9);
  const Drawn flat = projected(draft, x, heads * size);
  Drawn query = flat.shaped({batch, length, heads, size}, {});
  query = draft.node("Reshape", {flat.name, draft.integers(query.shape)}, query);
  query.shape = {batch, heads, length, size};
  query = draft.node("Transpose", {query.name}, query);
  draft.model.with("perm", Dimensions{0, 2, 1, 3});
  Drawn products = query.mapped(1, 4);
  products.shape = {batch, heads, length, total};
  products = draft.node("MatMul", {query.name, draft.floats({batch, heads, size, total}, -1, 1)}, products);
  if (draft.random.one_in(2)) products = draft.node("Mul", {products.name, draft.scalar(0.5)}, products);
  if (draft.random.one_in(2))
    products = draft.node("Add", {products.name, draft.floats({batch, 1, 1, total}, -2, 2)}, products);
  const Drawn weights = draft.node("Softmax", {products.name}, products.mapped(1, 1));
  Drawn made = weights.mapped(1, 2);
  made.shape = query.shape;
  draft.node("MatMul", {weights.name, draft.floats({batch, heads, total, size}, -1, 1)}, made);
  return true;
}

bool rotation_of_onnx(Draft& draft, const Drawn& x) {
  constexpr int64_t kSize = 8;
  if (!is_sequence(x)) return false;
  const int64_t heads = draft.random.of<int64_t>({1, 2});
  const Drawn y = projected(draft, x, heads * kSize);
  const Dimensions angles{x.shape[0], x.shape[1], kSize / 2};
  draft.node("RotaryEmbedding", {y.name, draft.floats(angles, -1, 1), draft.floats(angles, -1, 1)},
             y.mapped(y.scale, 2));
  draft.model.with("interleaved", draft.random.one_in(2) ? 1 : 0).with("num_heads", heads);
  return true;
}

// x * cos + concat(-second half, first half) * sin, as transformer exporters write it.
bool rotation_in_pieces(Draft& draft, const Drawn& x) {
  if (!is_plain(x, 2) || x.open || x.shape.back() % 2 != 0) return false;
  const int64_t pairs = x.shape.back() / 2;
  Dimensions half_shape = x.shape;
  half_shape.back() = pairs;
  const Drawn like_half = x.shaped(half_shape, {});
  const auto half = [&](int64_t begin) {
    const Names range{draft.integers({begin}), draft.integers({begin + pairs}), draft.integers({-1})};
    return draft.node("Slice", {x.name, range[0], range[1], range[2]}, like_half);
  };
  const auto angles = [&](double min) {
    const std::string one = draft.floats({x.shape[x.rank() - 2], pairs}, min, min + 1);
    const std::string both = draft.constant_node("Concat", {one, one});
    draft.model.with("axis", -1);
    return both;
  };
  const Drawn negative = draft.node("Neg", {half(pairs).name}, like_half);
  const Drawn swapped = draft.node("Concat", {negative.name, half(0).name}, x);
  draft.model.with("axis", -1);
  const Drawn a = draft.node("Mul", {x.name, angles(-1)}, x),
              b = draft.node("Mul", {swapped.name, angles(0)}, x);
  draft.node("Add", {a.name, b.name}, x.mapped(x.scale, 2));
  return true;
}

bool root_mean_square_norm(Draft& draft, const Drawn& x) {
  if (!is_plain(x, 2)) return false;
  draft.node("RMSNormalization", {x.name, draft.floats({x.shape.back()}, 0.5, 1.5)}, x.mapped(1.5, 6));
  draft.model.with("epsilon", 0.1);
  return true;
}

}  // namespace

Drawn fused(Draft& draft, const std::string& type, const Names& inputs, const Drawn& made) {
  const Drawn result = draft.node(type, inputs, made);
  draft.model.domain("com.microsoft");
  return result;
}

bool is_plain(const Drawn& x, size_t rank) {
  return x.type == OnnxModel::kFloat32 && x.rank() >= rank && x.open.value_or(0) + 1 < x.rank();
}

bool is_sequence(const Drawn& x) { return x.rank() == 3 && is_plain(x, 3) && !x.open; }

std::vector<Drawer> attention_drawers() {
  return {{3, packed_attention},
          {3, multi_head_attention},
          {3, group_query_attention},
          {2, rotation},
          {3, attention},
          {3, written_attention},
          {2, rotation_of_onnx},
          {2, root_mean_square_norm},
          {2, rotation_in_pieces}};
}

}  // namespace nnrt::test
