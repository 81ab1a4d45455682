// Reduces split-K partial sums of a GEMM or convolution: y = epilogue(sum of parts + bias). The matrices in
// `parts` follow each other.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define RESIDUAL_BINDING 3
#include "gemm/gemm_epilogue.glsl"

layout(push_constant) uniform Push {
  uint count, columns;  // in PACKs
  uint parts;
  uint y_first, y_row;
  uint has_bias;
  EPILOGUE_PUSH
};

READS_AS(0, sums, PACK);
READS_AS(1, bias, PACK);
WRITES_AS(2, y, PACK);

const uint kLoads = 8u;  // independent loads in flight

void main() {
  const uint index = global_word();
  if (index >= count) return;
  const uint row = index / columns;
  const uint column = index - row * columns;
  PACK sum = where(has_bias != 0u, bias.v[has_bias != 0u ? column : 0u]);
  for (uint first = 0u; first < parts; first += kLoads) {
    PACK loaded[kLoads];
    [[unroll]] for (uint i = 0u; i < kLoads; ++i) loaded[i] =
        sums.v[min(first + i, parts - 1u) * count + index];
    [[unroll]] for (uint i = 0u; i < kLoads; ++i) sum += where(first + i < parts, loaded[i]);
  }
  const uint at = y_first + row * y_row + column;
  y.v[at] = apply_epilogue(sum, at, column, EPILOGUE_ARGS);
}
