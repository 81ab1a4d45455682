// Packs the second operand of matmul and conv2d: [matrix][rows / (4 wide)][inner][wide] of four rows, with
// missing rows 0.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/vec4_access.glsl"

layout(push_constant) uniform Push {
  uint count;  // vec4 written
  uint rows, inner, wide;
  uint matrix_stride, row_stride, step;  // of x, in elements
};

READS_AS(0, x, float);
WRITES_AS(1, y, vec4);

float load(uint at, uint row) { return row < rows ? x.v[at + row * row_stride] : 0.0; }

void main() {
  const uint index = global_word();
  if (index >= count) return;
  const uint line = index / wide;  // inner index within the block
  const uint block = line / inner;
  const uint blocks = (rows + 4u * wide - 1u) / (4u * wide);
  const uint matrix = block / blocks;
  const uint row = ((block - matrix * blocks) * wide + (index - line * wide)) * 4u;
  const uint at = matrix * matrix_stride + (line - block * inner) * step;
  y.v[index] = vec4(load(at, row), load(at, row + 1u), load(at, row + 2u), load(at, row + 3u));
}
