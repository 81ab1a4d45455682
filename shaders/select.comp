// z = condition ? x : y, bit for bit, all three broadcast (WHERE; SELECT is the case of equal shapes).
#version 450
#extension GL_GOOGLE_include_directive : require
#include "bits.glsl"
#include "words.glsl"

layout(push_constant) uniform Push {
  uint count, rank;
  uint dims[7];
  int condition_strides[7], x_strides[7], y_strides[7];
};

READS(0, condition);
READS(1, x);
READS(2, y);
WRITES(3, z);

// Where result i finds the condition and its operands.
ivec3 places(uint i) {
  ivec3 place = ivec3(0);
  for (int d = int(rank) - 1; d > 0; --d) {
    const uint rest = i / dims[d];
    place += int(i - rest * dims[d]) * ivec3(condition_strides[d], x_strides[d], y_strides[d]);
    i = rest;
  }
  return place + int(i) * ivec3(condition_strides[0], x_strides[0], y_strides[0]);
}

void main() {
  const uint word = global_word();
  if (word * kLanes >= count) return;
  uint result = 0u;
  for (uint lane = 0u; lane < kLanes && word * kLanes + lane < count; ++lane) {
    const uvec3 place = uvec3(places(word * kLanes + lane));
    const bool chosen = unsigned_byte(condition.w[place.x / 4u], place.x % 4u) != 0;
    result |= element_at(chosen ? LOAD_BITS(x, place.y) : LOAD_BITS(y, place.z), lane);
  }
  z.w[word] = result;
}
