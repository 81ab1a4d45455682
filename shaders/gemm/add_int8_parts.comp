// Reduces the split-K partial sums of int8_matrix.comp (one matrix after the other) and quantizes the result.
// An invocation computes four columns of a row, which are one word of results.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define PARAMETERS_BINDING 1
#include "gemm/int8_result.glsl"

layout(push_constant) uniform Push {
  uint count, columns, parts;  // words of results, words per row, and splits
  REQUANTIZE_PUSH
};

READS4(0, sums);
WRITES(3, y);

const uint kLoads = 8u;  // independent loads in flight

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
