// Strided walks in vectors of 16 bytes: several times faster than element by element.
#pragma once

#include "core/base/shape.h"

#include <cstdint>
#include <vector>

namespace nnrt::vulkan {

// How an operand supplies a vector of results; must match broadcast_operands.glsl.
enum class Form : uint32_t {
  elements,  // indexed per result; if used, all operands use it
  vectors,   // contiguous; strides count vectors
  splat,     // one element for all lanes; strides count elements
};

struct VectorWalk {
  Shape shape;
  std::vector<Strides> strides;
  std::vector<Form> forms;

  bool by_vectors() const { return forms[0] != Form::elements; }
};

// The form of a per-channel parameter: `count` values, each shared by `inner` consecutive elements, with the
// data read in vectors of `lanes`. Vectorized kernels call this for each operand with fewer elements than the
// data, so that vector reads are always in range.
Form form_of_parameter(int64_t count, int64_t inner, int64_t lanes);

// In vectors of `lanes` if the rows divide into them (a single row need not: buffers are padded to whole
// vectors), else in elements.
VectorWalk in_vectors(const Collapsed& walk, int64_t lanes);

}  // namespace nnrt::vulkan
