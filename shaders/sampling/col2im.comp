// COL2IM for images of up to three dimensions: an invocation sums the column elements that map to one image
// element.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/vec4_access.glsl"

layout(push_constant) uniform Push {
  uint count;  // elements of the output
  uint size[3], kernel[3], stride[3], dilation[3], blocks[3];
  int before[3];
};

READS_AS(0, x, float);
WRITES_AS(1, y, float);

// The block along a dimension whose tap `k` hits a cell, or -1.
int block_of(uint axis, int cell, uint k) {
  const int start = cell + before[axis] - int(k * dilation[axis]);
  if (start < 0 || start % int(stride[axis]) != 0) return -1;
  const int block = start / int(stride[axis]);
  return block < int(blocks[axis]) ? block : -1;
}

void main() {
  const uint index = global_word();
  if (index >= count) return;
  const uint row = index / size[2];
  const uint plane = row / size[1];
  const uint image = plane / size[0];
  const ivec3 cell = ivec3(plane - image * size[0], row - plane * size[1], index - row * size[2]);
  float sum = 0.0;
  for (uint u = 0u; u < kernel[0]; ++u) {
    const int d = block_of(0u, cell.x, u);
    if (d < 0) continue;
    for (uint v = 0u; v < kernel[1]; ++v) {
      const int h = block_of(1u, cell.y, v);
      if (h < 0) continue;
      const uint taps = ((image * kernel[0] + u) * kernel[1] + v) * kernel[2];
      for (uint t = 0u; t < kernel[2]; ++t) {
        const int w = block_of(2u, cell.z, t);
        if (w < 0) continue;
        sum += x.v[(((taps + t) * blocks[0] + uint(d)) * blocks[1] + uint(h)) * blocks[2] + uint(w)];
      }
    }
  }
  y.v[index] = sum;
}
