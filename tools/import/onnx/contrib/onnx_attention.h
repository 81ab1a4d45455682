// Multi-head attention: ATTENTION, or products and a softmax if that does not support everything.
#pragma once

#include "tools/import/onnx/onnx_call.h"

namespace nnrt::import::onnx {

// Tensors are [batch, heads, length, head size]. Query heads may share a key/value head.
struct Heads {
  TensorId query = 0, key = 0, value = 0;
};

// Values of Attr::causal.
enum class Causal : uint8_t { none, to_position, to_last };

struct AttentionForm {
  double scale = 1, softcap = 0;
  Causal causal = Causal::none;
  int64_t reach = -1;  // preceding elements that are visible; -1: all
  Ids biases{};        // added to the scores [batch, heads, length, total]; if BOOL, false hides
  // Scores of an additional key without a value; broadcast to [batch, heads, length, 1].
  std::optional<TensorId> sinks{};
  bool keeps_nan = false;  // rows that see no key are NaN, otherwise 0
  // BOOL [batch, 1, keys, 1]: keys and values that may be read. The biases hide the others, which may be NaN.
  std::optional<TensorId> filled{};
};

// Scores as they are along the way; numbered as in ONNX's qk_matmul_output_mode.
enum class Stage : uint8_t { product, capped, biased, softmax };
struct Scores {
  Stage stage{};
  TensorId made = 0;  // [batch, heads, length, total]
};

// A dimension of x as an INT32 vector of one element.
TensorId length_at(Call& call, TensorId x, size_t axis);
// 0, 1, 2 and so on as INT32: as many as a vector of one element says, or along a dimension of x.
TensorId numbers_below(Call& call, TensorId count);
TensorId numbers_along(Call& call, TensorId x, size_t axis);

// How many keys a query sees before and after its own position; -1: all.
struct Window {
  int64_t before = -1, after = -1;
};
// The keys seen, as BOOL. `own` is the position of each query, [..., length, 1]; `numbers` are those of the
// keys.
TensorId seen_keys(Call& call, TensorId own, TensorId numbers, const Window& window);

// Scale of the scores: 1 / sqrt(size of a head) unless the node sets it.
double scale_of(Call& call, TensorId query);
int64_t heads_of(const Call& call, std::string_view attribute = "num_heads");
// Prepends past keys or values.
TensorId with_past(Call& call, size_t input, TensorId x);

// Softmax-weighted sum of values: [batch, heads, length, size].
TensorId attention(Call& call, const Heads& heads, const AttentionForm& form, Scores* scores = nullptr);

// [batch, length, heads * size] to [batch, heads, length, size] and back.
TensorId split_heads(Call& call, TensorId x, int64_t heads);
TensorId merge_heads(Call& call, TensorId x);

// Rotates pairs of elements of x [batch, heads, length, size] by angles given as cosines and sines, [batch,
// length, size / 2] or [length, size / 2]. `interleaved` pairs are adjacent; otherwise they are half the size
// apart.
TensorId rotated(Call& call, TensorId x, TensorId cosines, TensorId sines, bool interleaved);

}  // namespace nnrt::import::onnx
