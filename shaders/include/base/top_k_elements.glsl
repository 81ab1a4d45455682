// Shared by the TOP_K kernels: the elements of a line (the middle of (outer, length, inner)) in order of
// value, and the results of its chunks. Values are stored as words with their integer bits; indices are
// element positions unless they are inputs too.
#ifndef NNRT_TOP_K_ELEMENTS
#define NNRT_TOP_K_ELEMENTS
#include "base/element_bits.glsl"
#include "base/words.glsl"

layout(constant_id = 4) const uint FLOAT_BITS = 0;  // width of the compared float format; 0: integers
layout(constant_id = 5) const bool HAS_INDICES = false;
layout(constant_id = 6) const bool ASCENDING = false;
layout(constant_id = 7) const uint RANK_WORDS = 1;

layout(push_constant) uniform Push {
  uint count, length, inner;
  uint chunk, k;
  uint selected;  // elements per line that all its chunks keep
};

READS4(0, x);
READS(1, x_indices);
WRITES(2, y);
WRITES(3, y_indices);

int bits_of(uint i) {
  const int bits = int(LOAD_BITS(x, i));
  return BYTES == 4u ? bits : bitfieldExtract(bits, 0, int(8u * BYTES));
}

// An integer with the order of the values, independent of the driver's handling of NaN and subnormals: NaN is
// below everything.
int key_of(int bits) {
  if (FLOAT_BITS == 0u) return bits;
  const int magnitude = bits & (FLOAT_BITS == 16u ? 0x7fff : 0x7fffffff);
  if (magnitude > (FLOAT_BITS == 16u ? 0x7c00 : 0x7f800000)) return int(0x80000000u);
  return bits < 0 ? -magnitude : magnitude;
}

// Stores element i of x, which is element `at` of its line, as result `to`.
void store_result(uint to, uint i, uint at) {
  y.w[to] = uint(bits_of(i));
  y_indices.w[to * RANK_WORDS] = HAS_INDICES ? x_indices.w[i] : at;
  if (RANK_WORDS == 2u) y_indices.w[2u * to + 1u] = 0u;
}

#endif
