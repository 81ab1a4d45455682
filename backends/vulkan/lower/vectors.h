// Walks over strided operands in whole vectors of 16 bytes: several times faster than element by element.
#pragma once

#include "core/shape.h"

#include <cstdint>
#include <vector>

namespace nnrt::vulkan {

// How an operand comes in a vector of results; as in binary.glsl.
enum class Form : uint32_t {
  elements,  // each result has its own place; for all operands or none
  vectors,   // as neighbours; strides count vectors
  splat,     // one element for all; strides count elements
};

struct VectorWalk {
  Shape shape;
  std::vector<Strides> strides;
  std::vector<Form> forms;

  bool by_vectors() const { return forms[0] != Form::elements; }
};

// In vectors of `lanes` elements where rows divide into them (a single row need not: buffers end with whole
// vectors), else as it is, in elements.
VectorWalk in_vectors(const Collapsed& walk, int64_t lanes);

}  // namespace nnrt::vulkan
