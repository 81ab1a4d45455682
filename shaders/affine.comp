// SCALE and BATCH_NORM: x times a factor and plus an offset of its channel, element i being of channel
// (i / inner) mod channels.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "epilogue.glsl"
#include "words.glsl"

layout(constant_id = 3) const uint ACTIVATION = 0;
layout(constant_id = 4) const bool NORMALIZE = false;  // by mean and variance first
layout(push_constant) uniform Push {
  uint count, inner, channels;
  float epsilon;
};

READS(0, x);
READS(1, factor);
READS(2, offset);
READS(3, mean);
READS(4, variance);
WRITES(5, y);

ELEM f(uint i) {
  const uint c = i / inner % channels;
  ELEM v = LOAD(x, i);
  if (NORMALIZE) v = (v - LOAD(mean, c)) / sqrt(LOAD(variance, c) + epsilon);
  return activate(v * LOAD(factor, c) + LOAD(offset, c), ACTIVATION);
}

void main() {
  const uint word = global_word();
  if (word * LANES >= count) return;
  ELEM e[LANES];
  for (uint lane = 0u; lane < LANES; ++lane) e[lane] = f(word * LANES + lane);
  y.w[word] = pack(e);
}
