// z = condition ? x : y, bit for bit, with broadcasting (WHERE; SELECT has equal shapes).
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "base/element_bits.glsl"
#include "base/words.glsl"

layout(constant_id = 4) const uint RANK = 1;
layout(push_constant) uniform Push {
  uint count;
  uint dims[7];
  int condition_strides[7], x_strides[7], y_strides[7];
};

READS4(0, condition);
READS4(1, x);
READS4(2, y);
WRITES4(3, z);

// The indices of condition and operands for result i.
uvec3 places(uint i) {
  ivec3 place = ivec3(0);
  [[unroll]] for (int d = int(RANK) - 1; d > 0; --d) {
    const uint rest = i / dims[d];
    place += int(i - rest * dims[d]) * ivec3(condition_strides[d], x_strides[d], y_strides[d]);
    i = rest;
  }
  return uvec3(place + int(i) * ivec3(condition_strides[0], x_strides[0], y_strides[0]));
}

// Result i; indices beyond the last one repeat it.
uint element(uint i) {
  const uvec3 place = places(min(i, count - 1u));
  const bool chosen = unsigned_byte(WORD(condition, place.x / 4u), place.x % 4u) != 0;
  if (chosen) return LOAD_BITS(x, place.y);
  return LOAD_BITS(y, place.z);
}

void main() {
  const uint word = global_word();
  if (word * kLanes < count) {
    uint result = 0u;
    [[unroll]] for (uint lane = 0u; lane < kLanes; ++lane) {
      result |= element_at(element(word * kLanes + lane), lane);
    }
    WORD(z, word) = result;
  }
}
