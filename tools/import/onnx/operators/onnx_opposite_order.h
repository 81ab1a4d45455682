// Elements in the opposite order, for operators that find the smallest by one that finds the largest.
#pragma once

#include "tools/import/onnx/onnx_call.h"

namespace nnrt::import::onnx {

// Done twice it is the tensor itself. The negative of the lowest integer would be that again: integers have
// their bits inverted.
inline Result<TensorId> in_opposite_order(Call& call, TensorId x) {
  const bool is_real = is_float(call.emitter().dtype(x));
  return call.emit(is_real ? OH_NN_OPS_NEG : extension(OH_NN_OPS_BITWISE_NOT), {x});
}

}  // namespace nnrt::import::onnx
