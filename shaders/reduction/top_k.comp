// The k largest of each chunk of the middle of (outer, length, inner): an element's rank is how many are
// larger, or equal and before it; those of rank below k are kept. Values leave as words of integer bits;
// their indices, if not given with them, are where they stand.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/element_bits.glsl"
#include "base/words.glsl"

layout(constant_id = 4) const uint FLOAT_BITS = 0;  // of the format whose bits are compared; 0: integers
layout(constant_id = 5) const bool HAS_INDICES = false;
layout(constant_id = 6) const bool ASCENDING = false;
layout(constant_id = 7) const uint RANK_WORDS = 1;

layout(push_constant) uniform Push {
  uint count, length, inner;
  uint chunk, k;
  uint selected;  // of each line, by all of its chunks
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

void main() {
  const uint i = global_word();
  if (i >= count) return;
  const uint line = i / inner;
  const uint outer = line / length;
  const uint begin_of_line = outer * length * inner + i - line * inner;
  const uint at = line - outer * length;
  const uint begin = at / chunk * chunk;
  const uint end = min(begin + chunk, length);
  const int bits = bits_of(i);
  const int key = key_of(bits);
  uint larger = 0u, equal = 0u, equal_before = 0u;
  for (uint other = begin; other < end; ++other) {
    const int other_key = key_of(bits_of(begin_of_line + other * inner));
    larger += other_key > key ? 1u : 0u;
    equal += other_key == key ? 1u : 0u;
    equal_before += other_key == key && other < at ? 1u : 0u;
  }
  const uint keeps = min(k, end - begin);
  uint rank = larger + equal_before;
  if (rank >= keeps) return;
  // Equal ones stay in their order.
  if (ASCENDING) rank = keeps - larger - min(equal, keeps - larger) + equal_before;
  const uint to = (outer * selected + at / chunk * k + rank) * inner + i - line * inner;
  y.w[to] = uint(bits);
  y_indices.w[to * RANK_WORDS] = HAS_INDICES ? x_indices.w[i] : at;
  if (RANK_WORDS == 2u) y_indices.w[2u * to + 1u] = 0u;
}
