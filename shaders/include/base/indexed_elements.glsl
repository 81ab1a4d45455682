// The elements of a tensor that a tensor of indices means along an axis (R20): at the same place in all other
// dimensions.
#ifndef NNRT_INDEXED_ELEMENTS
#define NNRT_INDEXED_ELEMENTS
#include "base/index_rows.glsl"

layout(push_constant) uniform Push {
  uint count;  // invocations, one for each element of the indices, or for each part of it
  uint rank, axis;
  int length;       // the tensor's along the axis
  uint parts;       // words of an element, if it is longer than one
  uint zero;        // a word of zeros: a quantized tensor's are not 0 bits
  uint counts[8];   // dimensions of the indices
  uint strides[8];  // the tensor's, one for each of them
};

// The element of the tensor that element `i` of the indices means; -1 if its index is out of range.
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
