// Multi-head attention: ATTENTION, or products and a softmax if that does not support everything.
#pragma once

#include "tools/import/onnx/onnx_formula.h"

namespace nnrt::import::onnx {

// Tensors are [batch, heads, length, head size]. Query heads may share a key/value head.
struct Heads {
  TensorId query = 0, key = 0, value = 0;
};

// Values of OH_NN_ATTENTION_CAUSAL.
enum class Causal : uint8_t { none, to_position, to_last };

struct AttentionForm {
  double scale = 1, softcap = 0;
  Causal causal = Causal::none;
  int64_t reach = -1;  // preceding elements that are visible; -1: all
  Ids biases{};        // added to the scores [batch, heads, length, total]; if BOOL, false hides
  // Scores of an additional key without a value; broadcast to [batch, heads, length, 1].
  std::optional<TensorId> sinks{};
  bool keeps_nan = false;  // rows that see no key are NaN
  // BOOL [batch, 1, keys, 1]: keys and values that may be read. The biases hide the others, which may be NaN.
  std::optional<TensorId> filled{};
};

// Scale of the scores: 1 / sqrt(size of a head) unless the node sets it.
double scale_of(Formula& f, TensorId query);
Result<int64_t> heads_of(const Call& call, std::string_view attribute = "num_heads");
// Prepends past keys or values.
TensorId with_past(Formula& f, size_t input, TensorId x);

// Softmax-weighted sum of values: [batch, heads, length, size].
TensorId attention(Formula& f, const Heads& heads, const AttentionForm& form);

// [batch, length, heads * size] to [batch, heads, length, size] and back.
TensorId split_heads(Formula& f, TensorId x, int64_t heads);
TensorId merge_heads(Formula& f, TensorId x);

// A bias with a large negative number where a 0/1 mask ([batch, total], or with a length dimension) is 0, or
// beyond the given sequence lengths ([batch]).
TensorId mask_bias(Formula& f, TensorId mask, DType dtype, int64_t total, double negative);

// A score that softmax turns into 0.
double masked_score(DType dtype);

// Rotates pairs of elements of x [batch, heads, length, size] by angles given as cosines and sines, [batch,
// length, size / 2] or [length, size / 2]. `interleaved` pairs are adjacent; otherwise they are half the size
// apart.
TensorId rotated(Formula& f, TensorId x, TensorId cosines, TensorId sines, bool interleaved);

}  // namespace nnrt::import::onnx
