// One region of a movement operator (core/regions.h): elements of 1, 2, 4 or 16 bytes, untouched. `work`
// counts elements, one an invocation, where they are whole words; with FOURS, four that are neighbours in the
// output, where to_offset and to_strides count such fours. Else it counts the output words the region
// lies in, and of each the lanes that are not the region's keep what they are.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "bits.glsl"
#include "words.glsl"

layout(constant_id = 4) const uint RANK = 1;
layout(constant_id = 5) const bool FOURS = false;
layout(push_constant) uniform Push {
  uint work;
  int from_offset, to_offset;
  int dims[8], from_strides[8], to_strides[8];  // in falling order of to_strides
  int step, pair_step;  // in the input, between those of a pair in a four, and between its pairs
};

READS4(0, x);
layout(std430, set = 0, binding = 1) buffer y_block { uvec4 v[]; }
y;

void copy_element(uint i) {
  int from = from_offset, to = to_offset;
  int rest = int(i);
  [[unroll]] for (int d = int(RANK) - 1; d > 0; --d) {
    const int quotient = rest / dims[d];
    const int digit = rest - quotient * dims[d];
    from += digit * from_strides[d];
    to += digit * to_strides[d];
    rest = quotient;
  }
  from += rest * from_strides[0];
  to += rest * to_strides[0];
  if (BYTES == 16u) {
    y.v[to] = x.v[from];
  } else if (FOURS) {
    const int second = from + pair_step;
    y.v[to] = uvec4(WORD(x, uint(from)), WORD(x, uint(from + step)), WORD(x, uint(second)),
                    WORD(x, uint(second + step)));
  } else {
    WORD(y, uint(to)) = WORD(x, uint(from));
  }
}

// Where output element `to` comes from; -1 if it is not the region's.
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
      copy_element(i);
    } else {
      copy_word(uint(to_offset) / kLanes + i);
    }
  }
}
