// The fused activation of an operator.
#pragma once

#include "core/graph/attrs.h"

namespace nnrt {

// None if the operator has no such parameter.
inline Activation activation_of(const Attrs& attrs) {
  return attrs.has(Attr::activation) ? Activation(attrs.integer(Attr::activation)) : Activation::none;
}

inline void set_activation(Attrs& attrs, Activation activation) {
  attrs.set(Attr::activation, {DType::i8, {int64_t(activation)}, {}});
}

}  // namespace nnrt
