// SCALE and BATCH_NORM: x * factor + offset per channel; unit i belongs to channel (i / inner) % channels.
// Units are elements or vectors. A vector covers adjacent channels, with terms read as vectors, or one
// channel, with splat terms.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/activation_limits.glsl"
#include "base/words.glsl"

layout(constant_id = 3) const uint ACTIVATION = 0;
layout(constant_id = 4) const bool NORMALIZE = false;  // apply mean and variance first
layout(constant_id = 5) const uint FORM = 0;
const uint ELEMENTS = 0u, VECTORS = 1u;

layout(push_constant) uniform Push {
  uint count, inner, channels;
  float epsilon;
};

READS4(0, x);
READS4(1, factor);
READS4(2, offset);
READS4(3, mean);
READS4(4, variance);
WRITES4(5, y);

ELEM result(ELEM value, ELEM f, ELEM o, ELEM m, ELEM s) {
  if (NORMALIZE) value = (value - m) / sqrt(s + epsilon);
  return activate(value * f + o, ACTIVATION);
}

ELEM element(uint i) {
  const uint at = min(i, count - 1u);
  const uint c = at / inner % channels;
  return result(LOAD4(x, at), LOAD4(factor, c), LOAD4(offset, c), LOAD4(mean, c), LOAD4(variance, c));
}

uint word_of(uint value, uint f, uint o, uint m, uint s) {
#define RESULT(lane) \
  result(decode(value, lane), decode(f, lane), decode(o, lane), decode(m, lane), decode(s, lane))
  return pack(EACH_LANE(RESULT));
}

void main() {
  const uint i = global_word();
  if (FORM == ELEMENTS) {
#define ELEMENT(lane) element(i* LANES + lane)
    if (i * LANES < count) WORD(y, i) = pack(EACH_LANE(ELEMENT));
  } else if (i * 4u * LANES < count) {
    const uint c = i / inner % channels;
    uvec4 f, o, m, s;
    if (FORM == VECTORS) {
      f = factor.v[c];
      o = offset.v[c];
      m = mean.v[c];
      s = variance.v[c];
    } else {
      f = uvec4(REPLICATE(factor, c));
      o = uvec4(REPLICATE(offset, c));
      m = uvec4(REPLICATE(mean, c));
      s = uvec4(REPLICATE(variance, c));
    }
    const uvec4 v = x.v[i];
    y.v[i] = uvec4(word_of(v.x, f.x, o.x, m.x, s.x), word_of(v.y, f.y, o.y, m.y, s.y),
                   word_of(v.z, f.z, o.z, m.z, s.z), word_of(v.w, f.w, o.w, m.w, s.w));
  }
}
