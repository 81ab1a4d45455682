// Attention of several heads: ATTENTION, or products and a softmax where more is asked for.
#pragma once

#include "tools/import/onnx/onnx_formula.h"

namespace nnrt::import::onnx {

// Tensors [batch, heads, length, size of a head]. Several heads of queries may share one of keys and values.
struct Heads {
  TensorId query = 0, key = 0, value = 0;
};

// The values of OH_NN_ATTENTION_CAUSAL.
enum class Causal : uint8_t { none, to_position, to_last };

struct AttentionForm {
  double scale = 1, softcap = 0;
  Causal causal = Causal::none;
  int64_t reach = -1;  // an element sees so many before its own; -1: all
  Ids biases{};        // added to the scores [batch, heads, length, total]; of BOOL: false is not seen
};

// The sum of values that the softmax of scores weighs: [batch, heads, length, size].
TensorId attention(Formula& f, const Heads& heads, const AttentionForm& form);

// [batch, length, heads * size] to [batch, heads, length, size] and back.
TensorId split_heads(Formula& f, TensorId x, int64_t heads);
TensorId merge_heads(Formula& f, TensorId x);

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
