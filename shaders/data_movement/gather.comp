// Copies slices of x that rows of indices select; zeros for an invalid index. The output has one slice per
// row; if x is several tensors in sequence (GATHER along a later axis), one slice per row for each of them.
// Elements have 1, 2, 4 or 16 bytes.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "base/index_rows.glsl"

layout(push_constant) uniform Push {
  uint count, rows, slice;  // slice: elements per slice
  uint zero;                // word of zero elements, which for a quantized tensor are not 0 bits
  uint width;
  int dims[8];
};

READS4(1, x);
WRITES4(2, y);

// The element of x for element `i` of the output, or -1.
int source_of(uint i) {
  const uint target = i / slice;
  const uint tensor = target / rows;
  SLICE_OF_ROW(target - tensor * rows, width, dims, place)
  return place < 0 ? -1 : (int(tensor) * dims[0] + place) * int(slice) + int(i - target * slice);
}

uvec4 vector_of(uint i) {
  const int source = source_of(i);
  if (source < 0) return uvec4(zero);
  return x.v[source];
}

uint element_of(uint i) {
  const int source = source_of(i);
  if (source < 0) return element_in(zero, i);
  return LOAD_BITS(x, uint(source));
}

void main() {
  const uint i = global_word();
  if (i < (count + kLanes - 1u) / kLanes) {
    if (BYTES == 16u) {
      y.v[i] = vector_of(i);
    } else {
      uint result = 0u;
      [[unroll]] for (uint lane = 0u; lane < kLanes; ++lane) {
        result |= element_at(element_of(min(i * kLanes + lane, count - 1u)), lane);
      }
      WORD(y, i) = result;
    }
  }
}
