// Elements of a tensor selected by indices along an axis (R20), at the same position in all other dimensions.
#ifndef NNRT_INDEXED_ELEMENTS
#define NNRT_INDEXED_ELEMENTS
#include "base/index_rows.glsl"

layout(push_constant) uniform Push {
  uint count;  // invocations: one per element of the indices, or per word of it
  uint rank, axis;
  int length;       // of the tensor along the axis
  uint parts;       // words per element, if several
  uint zero;        // word of zero elements, which for a quantized tensor are not 0 bits
  uint counts[8];   // dimensions of the indices
  uint strides[8];  // of the tensor, by dimension
};

// The tensor element selected by element `i` of the indices; -1 if out of range.
int place_of(uint i) {
  const int index = index_of(i, length);
  if (index < 0) return -1;
  uint place = 0u;
  for (uint d = rank; d-- > 0u;) {
    const uint rest = i / counts[d];
    place += (d == axis ? uint(index) : i - rest * counts[d]) * strides[d];
    i = rest;
  }
  return int(place);
}

#endif
