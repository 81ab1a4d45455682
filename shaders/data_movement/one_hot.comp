// y[outer, k, inner] = indices[outer, inner] is k ? on : off, for k in [0, depth).
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "base/index_rows.glsl"

layout(push_constant) uniform Push { uint count, depth, inner; };

READS4(1, on);
READS4(2, off);
WRITES(3, y);

bool is_hot(uint i) {
  const uint line = i / inner;
  const uint outer = line / depth;
  return index_of(outer * inner + i - line * inner, int(depth)) == int(line - outer * depth);
}

void main() {
  const uint word = global_word();
  if (word * kLanes < count) {
    uint result = 0u;
    [[unroll]] for (uint lane = 0u; lane < kLanes; ++lane) {
      const bool hot = is_hot(min(word * kLanes + lane, count - 1u));
      result |= element_at(hot ? LOAD_BITS(on, 0u) : LOAD_BITS(off, 0u), lane);
    }
    y.w[word] = result;
  }
}
