// Walks over strided operands in whole vectors of 16 bytes: several times faster than element by element.
#pragma once

#include "core/base/shape.h"

#include <cstdint>
#include <vector>

namespace nnrt::vulkan {

// The form of an operand in a vector of results; as in broadcast_operands.glsl.
enum class Form : uint32_t {
  elements,  // each result has its own index; for all operands or none
  vectors,   // as neighbours; strides count vectors
  splat,     // one element for all; strides count elements
};

struct VectorWalk {
  Shape shape;
  std::vector<Strides> strides;
  std::vector<Form> forms;

  bool by_vectors() const { return forms[0] != Form::elements; }
};

// Returns the form of a parameter that the data repeats, in a vector of `lanes` neighbours of the data: it
// has `count` elements, each of which belongs to `inner` neighbours, the next to the next ones, and so again
// and again. Every kernel that computes in vectors asks this of each operand that has fewer elements than its
// data: what is read as a vector then has whole ones.
Form form_of_parameter(int64_t count, int64_t inner, int64_t lanes);

// In vectors of `lanes` elements where rows divide into them (a single row need not: buffers end with whole
// vectors), else as it is, in elements.
VectorWalk in_vectors(const Collapsed& walk, int64_t lanes);

}  // namespace nnrt::vulkan
