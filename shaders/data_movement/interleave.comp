// Interleaves 2- or 4-byte elements of two tensors: contiguous rows of pairs. An invocation reads one UNIT
// from each tensor: VECTORS: a vector of 16 bytes, of which it makes two; WORDS: two words of two elements.
// `pairs`, `count` and indices then count units. Otherwise it reads as many elements as fill a vector.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/element_bits.glsl"
#include "base/words.glsl"

layout(constant_id = 4) const uint UNIT = 0;
const uint VECTORS = 1, WORDS = 2;
layout(push_constant) uniform Push {
  uint work;   // invocations; each takes several units, `step` apart
  uint count;  // pairs in total
  uint pairs;  // pairs per row
  uint a_offset, b_offset, a_row, b_row;
  uint step;
};

READS_VECTORS(0, a);
READS_VECTORS(1, b);
WRITES4(2, y);

// The indices of a pair in both tensors.
uvec2 places(uint pair) {
  const uint row = pair / pairs;
  return uvec2(a_offset, b_offset) + row * uvec2(a_row, b_row) + (pair - row * pairs);
}

// The elements of pair `pair` if it exists; 2-byte elements as one word.
uvec2 pair_of(uint pair) {
  const uvec2 at = places(min(pair, count - 1u));
  const uint u = LOAD_BITS(a, at.x), v = LOAD_BITS(b, at.y);
  return BYTES == 4u ? uvec2(u, v) : uvec2(u | v << 16, 0u);
}

void main() {
  const uint begin = global_word();
  if (begin >= step) return;
  for (uint i = begin; i < work; i += step) {
    if (UNIT == VECTORS) {
      const uvec2 at = places(i);
      const uvec4 u = VECTOR(a, at.x), v = VECTOR(b, at.y);
      y.v[2u * i] = interleaved(u.xy, v.xy);
      y.v[2u * i + 1u] = interleaved(u.zw, v.zw);
    } else if (UNIT == WORDS) {
      const uvec2 at = places(2u * i), next = places(min(2u * i + 1u, count - 1u));
      y.v[i] = interleaved(uvec2(VECTOR_WORD(a, at.x), VECTOR_WORD(a, next.x)),
                           uvec2(VECTOR_WORD(b, at.y), VECTOR_WORD(b, next.y)));
    } else if (BYTES == 4u) {
      y.v[i] = uvec4(pair_of(2u * i), pair_of(2u * i + 1u));
    } else {
      y.v[i] =
          uvec4(pair_of(4u * i).x, pair_of(4u * i + 1u).x, pair_of(4u * i + 2u).x, pair_of(4u * i + 3u).x);
    }
  }
}
