// Adds the sums of parts of the inner dimension, of int8_matrix.comp, which lie as rows of columns, part
// behind part, and quantizes what comes of it. An invocation has four columns of a row, a word of results.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define PARAMETERS_BINDING 1
#include "gemm/int8_result.glsl"

layout(push_constant) uniform Push {
  uint count, columns, parts;  // words of results, of a row of them, and parts
  REQUANTIZE_PUSH
};

READS4(0, sums);
WRITES(3, y);

const uint kLoads = 8u;  // loads that do not wait for each other

void main() {
  const uint at = global_word();
  if (at >= count) return;
  ivec4 sum = ivec4(0);
  for (uint first = 0u; first < parts; first += kLoads) {
    uvec4 loaded[kLoads];
    [[unroll]] for (uint i = 0u; i < kLoads; ++i) loaded[i] = sums.v[min(first + i, parts - 1u) * count + at];
    [[unroll]] for (uint i = 0u; i < kLoads; ++i) sum += first + i < parts ? ivec4(loaded[i]) : ivec4(0);
  }
  STORE_RESULTS(sum, at % columns * 4u, at);
}
