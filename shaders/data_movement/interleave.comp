// Interleaves elements of four bytes of two tensors: rows of pairs, one behind the other. With VECTORS
// `pairs` and indices count vec4 of each tensor, and an invocation makes two vec4 of one of each; otherwise
// it makes one vec4 of two pairs.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/words.glsl"

layout(constant_id = 3) const bool VECTORS = false;
layout(push_constant) uniform Push {
  uint work;   // of invocations, each of which takes some, `step` apart
  uint count;  // of all pairs, or pairs of vec4
  uint pairs;  // of a row
  uint a_offset, b_offset, a_row, b_row;
  uint step;
};

READS_VECTORS(0, a);
READS_VECTORS(1, b);
WRITES4(2, y);

// The indices of a pair in both.
uvec2 places(uint pair) {
  const uint row = pair / pairs;
  return uvec2(a_offset, b_offset) + row * uvec2(a_row, b_row) + (pair - row * pairs);
}

void main() {
  const uint begin = global_word();
  if (begin >= step) return;
  for (uint i = begin; i < work; i += step) {
    if (VECTORS) {
      const uvec2 at = places(i);
      const uvec4 u = VECTOR(a, at.x), v = VECTOR(b, at.y);
      y.v[2u * i] = uvec4(u.x, v.x, u.y, v.y);
      y.v[2u * i + 1u] = uvec4(u.z, v.z, u.w, v.w);
    } else {
      const uvec2 at = places(2u * i), next = places(min(2u * i + 1u, count - 1u));
      y.v[i] =
          uvec4(VECTOR_WORD(a, at.x), VECTOR_WORD(b, at.y), VECTOR_WORD(a, next.x), VECTOR_WORD(b, next.y));
    }
  }
}
