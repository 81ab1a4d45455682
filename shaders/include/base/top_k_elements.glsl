// Common to the kernels of TOP_K: the elements of a line of the middle of (outer, length, inner) in
// the order of their values, and the results of each of its chunks. Values leave as words of integer bits;
// their indices, if not given with them, are where they stand.
#ifndef NNRT_TOP_K_ELEMENTS
#define NNRT_TOP_K_ELEMENTS
#include "base/element_bits.glsl"
#include "base/words.glsl"

layout(constant_id = 4) const uint FLOAT_BITS = 0;  // bits of the format that is compared; 0: integers
layout(constant_id = 5) const bool HAS_INDICES = false;
layout(constant_id = 6) const bool ASCENDING = false;
layout(constant_id = 7) const uint RANK_WORDS = 1;

layout(push_constant) uniform Push {
  uint count, length, inner;
  uint chunk, k;
  uint selected;  // elements of each line that all of its chunks keep
};

READS4(0, x);
READS(1, x_indices);
WRITES(2, y);
WRITES(3, y_indices);

int bits_of(uint i) {
  const int bits = int(LOAD_BITS(x, i));
  return BYTES == 4u ? bits : bitfieldExtract(bits, 0, int(8u * BYTES));
}

// An integer in the order of the values, so that no driver's idea of NaN or of subnormals counts: NaN is
// below everything.
int key_of(int bits) {
  if (FLOAT_BITS == 0u) return bits;
  const int magnitude = bits & (FLOAT_BITS == 16u ? 0x7fff : 0x7fffffff);
  if (magnitude > (FLOAT_BITS == 16u ? 0x7c00 : 0x7f800000)) return int(0x80000000u);
  return bits < 0 ? -magnitude : magnitude;
}

// Element i of x, the element `at` of its line, is the result `to`.
void store_result(uint to, uint i, uint at) {
  y.w[to] = uint(bits_of(i));
  y_indices.w[to * RANK_WORDS] = HAS_INDICES ? x_indices.w[i] : at;
  if (RANK_WORDS == 2u) y_indices.w[2u * to + 1u] = 0u;
}

#endif
