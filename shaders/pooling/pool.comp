// AVG_POOL and MAX_POOL in NHWC; an invocation computes a PACK of one output pixel. Cells outside of the
// input are neither summed, counted nor compared.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/activation_limits.glsl"
#include "base/vec4_access.glsl"

layout(constant_id = 3) const uint ACTIVATION = 0;
layout(constant_id = 4) const bool MAXIMUM = false;

layout(push_constant) uniform Push {
  uint count;  // PACKs of the output
  uint parts;  // PACKs per pixel
  uint out_height, out_width, in_height, in_width;
  uint kernel_height, kernel_width, stride_height, stride_width;
  int top, left;
};

READS_PACKS(0, x);
WRITES_AS(1, y, PACK);

void main() {
  const uint index = global_word();
  if (index >= count) return;
  const uint pixel = index / parts;
  const uint row = pixel / out_width;
  const uint image = row / out_height;
  const ivec2 first =
      ivec2((row - image * out_height) * stride_height, (pixel - row * out_width) * stride_width) -
      ivec2(top, left);
  const ivec2 from = max(first, ivec2(0));
  const ivec2 to = min(first + ivec2(kernel_height, kernel_width), ivec2(in_height, in_width));

  PACK result = PACK(MAXIMUM ? uintBitsToFloat(0xff800000u) : 0.0);
  for (int v = from.x; v < to.x; ++v) {
    uint at = ((image * in_height + uint(v)) * in_width + uint(from.y)) * parts + index - pixel * parts;
    PACK sum = PACK(0.0);
    for (int u = from.y; u < to.y; ++u, at += parts) {
      if (MAXIMUM) {
        result = larger(result, PACK_OF(x, at));
      } else {
        sum += PACK_OF(x, at);
      }
    }
    if (!MAXIMUM) result += sum;
  }
  if (!MAXIMUM) result /= float((to.x - from.x) * (to.y - from.y));
  y.v[index] = activate(result, ACTIVATION);
}
