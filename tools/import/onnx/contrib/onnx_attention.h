// Attention of several heads, as products and a softmax.
#pragma once

#include "tools/import/onnx/onnx_formula.h"

namespace nnrt::import::onnx {

// Tensors [batch, heads, length, size of a head].
struct Heads {
  TensorId query = 0, key = 0, value = 0;
};

struct AttentionForm {
  double scale = 1, softcap = 0;
  bool causal = false;
  int64_t reach = -1;  // how many elements before its own an element sees; -1: all
  Ids biases{};        // added to the scores [batch, heads, length, total]
};

// The sum of values that the softmax of scores weighs: [batch, heads, length, size].
TensorId attention(Formula& f, const Heads& heads, const AttentionForm& form);

// [batch, length, heads * size] to [batch, heads, length, size] and back.
TensorId split_heads(Formula& f, TensorId x, int64_t heads);
TensorId merge_heads(Formula& f, TensorId x);

// Each head as often as `times` says, for several heads of queries.
TensorId repeat_heads(Formula& f, TensorId x, int64_t times);

// Bias that adds a large negative number where a mask of 0 and 1, [batch, total] or with a dimension for the
// length, has 0; or from the lengths of sequences, [batch], on.
TensorId mask_bias(Formula& f, TensorId mask, DType dtype, int64_t total, double negative);

// A number that leaves nothing of an element's share.
double masked_score(DType dtype);

// x with pairs of elements rotated by angles whose cosines and sines, [batch, length, size / 2] or
// [length, size / 2], are given. x is [batch, heads, length, size]; `interleaved` pairs are neighbours,
// others are half the size apart.
TensorId rotated(Formula& f, TensorId x, TensorId cosines, TensorId sines, bool interleaved);

}  // namespace nnrt::import::onnx
