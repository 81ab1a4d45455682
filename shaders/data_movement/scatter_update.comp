// Copies slices of x, or of the updates where a slice has a winner. Elements have 1, 2, 4 or 16 bytes.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "base/element_bits.glsl"
#include "base/words.glsl"

layout(push_constant) uniform Push {
  uint count, slice;  // in elements
};

READS(0, winners);  // -1: none
READS4(1, x);
READS4(2, updates);
WRITES4(3, y);

// The element of the updates for element `i` of the result, or -1.
int update_of(uint i) {
  const uint place = i / slice;
  const int winner = int(winners.w[place]);
  return winner < 0 ? -1 : winner * int(slice) + int(i - place * slice);
}

uint element_of(uint i) {
  const int update = update_of(i);
  if (update < 0) return LOAD_BITS(x, i);
  return LOAD_BITS(updates, uint(update));
}

void main() {
  const uint i = global_word();
  if (i < (count + kLanes - 1u) / kLanes) {
    if (BYTES == 16u) {
      const int update = update_of(i);
      if (update < 0) {
        y.v[i] = x.v[i];
      } else {
        y.v[i] = updates.v[update];
      }
    } else {
      uint result = 0u;
      [[unroll]] for (uint lane = 0u; lane < kLanes; ++lane) {
        result |= element_at(element_of(min(i * kLanes + lane, count - 1u)), lane);
      }
      WORD(y, i) = result;
    }
  }
}
