// AXIS_ALIGNED_BBOX_TRANSFORM, one invocation per box of one class.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/float_math.glsl"
#include "base/vec4_access.glsl"

layout(push_constant) uniform Push { uint count, classes, batch; };

READS_AS(0, regions, vec4);
READS_AS(1, deltas, vec4);
READS(2, batch_indices);
READS_AS(3, sizes, vec2);
WRITES_AS(4, y, vec4);

float clipped(float value, float end) { return value > 0.0 ? (value < end ? value : end) : 0.0; }

void main() {
  const uint index = global_word();
  if (index >= count) return;
  const uint region = index / classes, image = batch_indices.w[region];
  if (image >= batch) {  // R20
    y.v[index] = vec4(0.0);
    return;
  }
  const vec4 box = regions.v[region], delta = deltas.v[index];
  const vec2 sides = box.zw - box.xy, size = sizes.v[image].yx;
  const vec2 centre = 0.5 * (box.xy + box.zw) + delta.xy * sides;
  const vec2 reach = 0.5 * vec2(exp_of(delta.z), exp_of(delta.w)) * sides;
  const vec2 low = centre - reach, high = centre + reach;
  y.v[index] =
      vec4(clipped(low.x, size.x), clipped(low.y, size.y), clipped(high.x, size.x), clipped(high.y, size.y));
}
