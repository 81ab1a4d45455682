// LRN across the channels of NHWC, one invocation per element.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/float_math.glsl"
#include "base/vec4_access.glsl"

layout(push_constant) uniform Push {
  uint count, channels, radius;
  float bias, alpha, beta;
};

READS_AS(0, x, float);
WRITES_AS(1, y, float);

void main() {
  const uint index = global_word();
  if (index >= count) return;
  const uint channel = index % channels;
  const uint first = index - min(channel, radius);
  const uint last = index + min(channels - 1u - channel, radius);
  float sum = 0.0;
  for (uint at = first; at <= last; ++at) sum += x.v[at] * x.v[at];
  y.v[index] = x.v[index] * pow_of(bias + alpha * sum, -beta);
}
