// Finds graphs small enough to run in milliseconds.
#pragma once

#include "core/graph/graph.h"

namespace nnrt::test {

inline constexpr int64_t kOpenLength = 2;  // for dynamic dimensions

// Returns whether all tensors together have at most `max_elements` elements.
inline bool is_small(const Graph& graph, size_t max_elements) {
  size_t elements = 0;
  for (const Shape& shape : graph.shapes) {
    for (size_t count = 1; const int64_t dimension : shape) {
      count *= static_cast<size_t>(dimension == kUnknown ? kOpenLength : dimension);
      if (count > max_elements) return false;
      elements += count;
    }
  }
  return elements <= max_elements;
}

}  // namespace nnrt::test
