// Changes of values for operators that compare them.
#pragma once

#include "tools/import/onnx/onnx_call.h"

namespace nnrt::import::onnx {

// An involution that reverses the order, to compute minima with operators that find maxima. Negation fails
// for the lowest integer, so integers are bit-inverted.
inline TensorId in_opposite_order(Call& call, TensorId x) {
  const bool is_real = is_float(call.dtype(x));
  return call.emit(is_real ? Op::neg : Op::bitwise_not, {x});
}

}  // namespace nnrt::import::onnx
