// Elements of x selected by indices along an axis; zeros for an invalid index.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "base/indexed_elements.glsl"

READS4(1, x);
WRITES(2, y);

uint part_of(uint i) {
  const uint element = i / parts;
  const int place = place_of(element);
  if (place < 0) return element_in(zero, i);
  return LOAD_BITS(x, uint(place) * parts + i - element * parts);
}

void main() {
  const uint word = global_word();
  if (word * kLanes < count) {
    uint result = 0u;
    [[unroll]] for (uint lane = 0u; lane < kLanes; ++lane) {
      result |= element_at(part_of(min(word * kLanes + lane, count - 1u)), lane);
    }
    y.w[word] = result;
  }
}
