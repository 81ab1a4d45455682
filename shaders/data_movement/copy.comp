// One region of a movement operator (core/schema/data_movement/copy_regions.h): elements of 1, 2, 4 or 16
// bytes, untouched. Of those that are whole words an invocation takes some, `row_step` apart along the
// outermost dimension; with GATHER_VEC4, four that are neighbours in the output, where to_offset and
// to_strides count such vec4, and with INTERLEAVE_VEC8 two vec4 that interleave two vectors of the input,
// `step` vectors apart. Of others it takes an output word, of which the lanes that are not the region's keep
// what they are.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "base/element_bits.glsl"
#include "base/words.glsl"

layout(constant_id = 4) const uint RANK = 1;
layout(constant_id = 5) const uint VECTOR_COPY = 0;
const uint GATHER_VEC4 = 1, INTERLEAVE_VEC8 = 2;
layout(push_constant) uniform Push {
  uint work;  // of invocations
  int from_offset, to_offset;
  int dims[8], from_strides[8], to_strides[8];  // in falling order of to_strides
  int step, pair_step;  // in the input, between those of a pair in a four, and between its pairs
  int row_step;
};

READS_VECTORS(0, x);
layout(std430, set = 0, binding = 1) buffer y_block { uvec4 v[]; }
y;

void copy_elements(uint i) {
  int from = from_offset, to = to_offset;
  int row = int(i);
  [[unroll]] for (int d = int(RANK) - 1; d > 0; --d) {
    const int quotient = row / dims[d];
    const int digit = row - quotient * dims[d];
    from += digit * from_strides[d];
    to += digit * to_strides[d];
    row = quotient;
  }
  from += row * from_strides[0];
  to += row * to_strides[0];
  for (; row < dims[0]; row += row_step) {
    if (BYTES == 16u) {
      y.v[to] = VECTOR(x, from);
    } else if (VECTOR_COPY == INTERLEAVE_VEC8) {
      const uvec4 a = VECTOR(x, from), b = VECTOR(x, from + step);
      y.v[2 * to] = uvec4(a.x, b.x, a.y, b.y);
      y.v[2 * to + 1] = uvec4(a.z, b.z, a.w, b.w);
    } else if (VECTOR_COPY == GATHER_VEC4) {
      const int second = from + pair_step;
      y.v[to] = uvec4(VECTOR_WORD(x, uint(from)), VECTOR_WORD(x, uint(from + step)),
                      VECTOR_WORD(x, uint(second)), VECTOR_WORD(x, uint(second + step)));
    } else {
      WORD(y, uint(to)) = VECTOR_WORD(x, uint(from));
    }
    from += row_step * from_strides[0];
    to += row_step * to_strides[0];
  }
}

// The index of the input element for output element `to`; -1 if it is not the region's.
int source_of(int to) {
  int rest = to - to_offset;
  int from = from_offset;
  bool inside = rest >= 0;
  [[unroll]] for (int d = 0; d < int(RANK); ++d) {
    const int digit = rest / to_strides[d];
    inside = inside && digit < dims[d];
    from += digit * from_strides[d];
    rest -= digit * to_strides[d];
  }
  return inside && rest == 0 ? from : -1;
}

void copy_word(uint word) {
  uint result = 0u, kept = 0u;
  [[unroll]] for (uint lane = 0u; lane < kLanes; ++lane) {
    const int from = source_of(int(word * kLanes + lane));
    if (from >= 0) {
      result |= element_at(LOAD_BITS(x, uint(from)), lane);
    } else {
      kept |= element_at(0xffffffffu >> (32u - 8u * BYTES), lane);
    }
  }
  if (kept != 0u) result |= WORD(y, word) & kept;
  WORD(y, word) = result;
}

void main() {
  const uint i = global_word();
  if (i < work) {
    if (BYTES >= 4u) {
      copy_elements(i);
    } else {
      copy_word(uint(to_offset) / kLanes + i);
    }
  }
}
