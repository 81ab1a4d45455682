// The bounds of a fused activation.
#pragma once

#include "core/graph/activation.h"

#include <limits>

namespace nnrt::cpu {

struct FloatBounds {
  float low = -std::numeric_limits<float>::infinity(), high = std::numeric_limits<float>::infinity();
};

inline FloatBounds bounds_of(Activation activation) {
  switch (activation) {
    case Activation::relu: return {.low = 0};
    case Activation::relu6: return {0, 6};
    default: return {};
  }
}

}  // namespace nnrt::cpu
