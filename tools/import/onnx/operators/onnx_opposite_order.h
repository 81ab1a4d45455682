// Changes of values for operators that compare them.
#pragma once

#include "tools/import/onnx/onnx_call.h"

namespace nnrt::import::onnx {

// UINT64 as INT64 of the same order; other dtypes are unchanged.
inline Result<TensorId> rankable(Call& call, TensorId x) {
  if (call.emitter().dtype(x) != DType::u64) return x;
  NNRT_ASSIGN(const TensorId bits, call.cast(x, DType::i64));
  return call.emit(extension(OH_NN_OPS_BITWISE_XOR), {bits, call.number_like(bits, -0x1p63)});
}

// Reverts rankable() for values of `dtype`.
inline Result<TensorId> from_rankable(Call& call, TensorId x, DType dtype) {
  if (dtype != DType::u64) return x;
  NNRT_ASSIGN(const TensorId bits,
              call.emit(extension(OH_NN_OPS_BITWISE_XOR), {x, call.number_like(x, -0x1p63)}));
  return call.cast(bits, dtype);
}

// An involution that reverses the order, to compute minima with operators that find maxima. Negation fails
// for the lowest integer, so integers are bit-inverted.
inline Result<TensorId> in_opposite_order(Call& call, TensorId x) {
  const bool is_real = is_float(call.emitter().dtype(x));
  return call.emit(is_real ? OH_NN_OPS_NEG : extension(OH_NN_OPS_BITWISE_NOT), {x});
}

}  // namespace nnrt::import::onnx
