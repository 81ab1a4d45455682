// RESIZE_BILINEAR in NHWC; an invocation computes a PACK of one output pixel. Source coordinates are exact
// fractions, (i * multiplier + addend) / divisor, so that every device finds the same cells as the host.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/vec4_access.glsl"

layout(push_constant) uniform Push {
  uint count;  // PACKs of the output
  uint parts;  // PACKs per pixel
  uint out_height, out_width, in_height, in_width;
  uint multiplier_y, multiplier_x, divisor_y, divisor_x;
  int addend_y, addend_x;
};

READS_AS(0, x, PACK);
WRITES_AS(1, y, PACK);

struct Tap {
  uint low, high;
  float t;
};

Tap tap(uint i, uint multiplier, int addend, uint divisor, uint size) {
  const uint at = uint(max(int(i * multiplier) + addend, 0));
  const uint low = at / divisor;
  if (low >= size - 1u) return Tap(size - 1u, size - 1u, 0.0);
  return Tap(low, low + 1u, float(at - low * divisor) / float(divisor));
}

void main() {
  const uint index = global_word();
  if (index >= count) return;
  const uint pixel = index / parts;
  const uint row = pixel / out_width;
  const uint image = row / out_height;
  const uint part = index - pixel * parts;
  const Tap v = tap(row - image * out_height, multiplier_y, addend_y, divisor_y, in_height);
  const Tap u = tap(pixel - row * out_width, multiplier_x, addend_x, divisor_x, in_width);
  const uint upper = (image * in_height + v.low) * in_width;
  const uint lower = (image * in_height + v.high) * in_width;
  const PACK top =
      (1.0 - u.t) * x.v[(upper + u.low) * parts + part] + u.t * x.v[(upper + u.high) * parts + part];
  const PACK bottom =
      (1.0 - u.t) * x.v[(lower + u.low) * parts + part] + u.t * x.v[(lower + u.high) * parts + part];
  y.v[index] = (1.0 - v.t) * top + v.t * bottom;
}
