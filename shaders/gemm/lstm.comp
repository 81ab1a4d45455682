// One time step of an LSTM layer, one invocation per state. Gates are in the order input, output, forget,
// cell; their input part was computed for all steps. Variant VEC4: the hidden size is a multiple of 4.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/float_math.glsl"
#include "base/vec4_access.glsl"

layout(constant_id = 3) const bool HAS_BIAS = false;
layout(push_constant) uniform Push {
  uint count;  // the layer's states, [direction][batch][hidden]
  uint step, steps, batch, hidden, directions;
  uint first;     // the layer's first direction among those of all layers
  uint from, to;  // offsets of the states to read and to write
  float keep_cell, keep_hidden;
  float cell_clip;  // 0: no limit
};

READS_AS(0, given, float);  // [direction][time][batch][gate][hidden]
READS_AS(1, weight, PACK);  // [layer][direction][gate][hidden][hidden]
READS_AS(2, bias, float);   // [layer][direction][of input, of state][gate][hidden]
READS_AS(3, h, PACK);
READS_AS(4, c, float);
WRITES_AS(5, next_h, float);
WRITES_AS(6, next_c, float);
WRITES_AS(7, y, float);  // [time][batch][direction][hidden]

float total(float v) { return v; }
float total(vec4 v) { return (v.x + v.y) + (v.z + v.w); }

// The four gates of state j before activation.
vec4 gates(uint row, uint j, uint k) {
  const uint length = hidden / WIDTH;
  const uint gate = hidden * length;
  uint state = from / WIDTH + row * length;
  uint at = k * 4u * gate + j * length;
  PACK i = PACK(0.0), o = PACK(0.0), f = PACK(0.0), g = PACK(0.0);
  for (uint n = 0u; n < length; ++n, ++state, ++at) {
    const PACK v = h.v[state];
    i += v * weight.v[at];
    o += v * weight.v[at + gate];
    f += v * weight.v[at + 2u * gate];
    g += v * weight.v[at + 3u * gate];
  }
  return vec4(total(i), total(o), total(f), total(g));
}

vec4 bias_at(uint at) {
  return vec4(bias.v[at], bias.v[at + hidden], bias.v[at + 2u * hidden], bias.v[at + 3u * hidden]);
}

void main() {
  const uint index = global_word();
  if (index >= count) return;
  const uint row = index / hidden;
  const uint j = index - row * hidden;
  const uint direction = row / batch;
  const uint k = first + direction;
  const uint time = direction == 0u ? step : steps - 1u - step;
  const uint place = time * batch + row - direction * batch;

  const uint at = (direction * steps * batch + place) * 4u * hidden + j;
  vec4 v = vec4(given.v[at], given.v[at + hidden], given.v[at + 2u * hidden], given.v[at + 3u * hidden]);
  v += gates(row, j, k);
  if (HAS_BIAS) v += bias_at(k * 8u * hidden + j) + bias_at((k * 8u + 4u) * hidden + j);

  const float old_c = c.v[from + index];
  const float new_c = limited(sigmoid(v.z) * old_c + sigmoid(v.x) * tanh_of(v.w), cell_clip);
  const float new_h = sigmoid(v.y) * tanh_of(new_c);
  y.v[(place * directions + direction) * hidden + j] = new_h;
  // Zoneout affects the states that are carried on, not this step's output.
  next_c.v[to + index] = keep_cell * old_c + (1.0 - keep_cell) * new_c;
#ifdef VEC4
  const float old_h = h.v[(from + index) / 4u][(from + index) % 4u];
#else
  const float old_h = h.v[from + index];
#endif
  next_h.v[to + index] = keep_hidden * old_h + (1.0 - keep_hidden) * new_h;
}
