// The triangle of each matrix above or below a diagonal; zeros elsewhere.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "base/element_bits.glsl"
#include "base/words.glsl"

layout(constant_id = 4) const bool UPPER = true;

layout(push_constant) uniform Push {
  uint count;  // elements, or their words if they are longer than one
  uint parts;  // words of an element
  uint rows, columns;
  int diagonal;
  uint zero;  // a word of zeros: a quantized tensor's are not 0 bits
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
