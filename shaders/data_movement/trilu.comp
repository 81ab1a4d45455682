// Keeps the triangle of each matrix above or below a diagonal and zeroes the rest.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "base/element_bits.glsl"
#include "base/words.glsl"

layout(constant_id = 4) const bool UPPER = true;

layout(push_constant) uniform Push {
  uint count;  // elements, or words if an element has several
  uint parts;  // words per element
  uint rows, columns;
  int diagonal;
  uint zero;  // word of zero elements, which for a quantized tensor are not 0 bits
};

READS4(0, x);
WRITES(1, y);

uint part_of(uint i) {
  const uint element = i / parts;
  const uint row = element / columns;
  const int above = int(element - row * columns) - int(row % rows);
  const bool is_kept = UPPER ? above >= diagonal : above <= diagonal;
  if (!is_kept) return element_in(zero, i);
  return LOAD_BITS(x, i);
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
