// CONV3D in either layout. An invocation computes one output cell and up to OUTS channels of one group.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "base/activation_limits.glsl"
#include "base/vec4_access.glsl"

layout(constant_id = 3) const uint ACTIVATION = 0;
layout(constant_id = 4) const bool CHANNELS_LAST = false;

const uint OUTS = 4u;

layout(push_constant) uniform Push {
  uint count;      // invocations
  uint groups;     // channel groups
  uint group_in;   // PACKs per group
  uint group_out;  // channels per group
  uint out_size[3], in_size[3], kernel[3], stride[3], dilation[3];
  int before[3];
};

READS_AS(0, x, PACK);
READS_AS(1, weights, PACK);
READS_AS(2, bias, float);
WRITES_AS(3, y, float);

// The input coordinate along an axis; out of range if outside of the input.
uint source(uint axis, uint at, uint tap) {
  return uint(int(at * stride[axis] + tap * dilation[axis]) - before[axis]);
}

void main() {
  const uint index = global_word();
  if (index >= count) return;
  const uint outs_of_group = (group_out + OUTS - 1u) / OUTS;
  const uint outs = outs_of_group * groups;
  const uint cells = out_size[0] * out_size[1] * out_size[2];
  // Adjacent invocations write adjacent elements.
  const uint image = index / (outs * cells), in_image = index - image * outs * cells;
  const uint cell = CHANNELS_LAST ? in_image / outs : in_image % cells;
  const uint nth = CHANNELS_LAST ? in_image % outs : in_image / cells;
  const uint group = nth / outs_of_group;
  const uint channel = (nth - group * outs_of_group) * OUTS;
  const uint row = cell / out_size[2], plane = row / out_size[1];
  const uint out_y = row - plane * out_size[1], out_x = cell - row * out_size[2];

  const uint in_cells = in_size[0] * in_size[1] * in_size[2];
  const uint x_step = CHANNELS_LAST ? 1u : in_cells;
  const uint cell_step = CHANNELS_LAST ? groups * group_in : 1u;
  const uint x_image = image * in_cells * groups * group_in + group * group_in * x_step;
  const uint w_step = kernel[0] * kernel[1] * kernel[2] * group_in;
  uint w_at = (group * group_out + channel) * w_step;
  float sums[OUTS] = float[OUTS](0.0, 0.0, 0.0, 0.0);
  uint steps[OUTS];
  [[unroll]] for (uint i = 0u; i < OUTS; ++i) steps[i] = min(i, group_out - 1u - channel) * w_step;
  for (uint u = 0u; u < kernel[0]; ++u) {
    const uint in_d = source(0u, plane, u);
    const uint in_plane = in_d * in_size[1];
    if (in_d >= in_size[0]) {
      w_at += kernel[1] * kernel[2] * group_in;
      continue;
    }
    for (uint v = 0u; v < kernel[1]; ++v) {
      const uint in_h = source(1u, out_y, v);
      if (in_h >= in_size[1]) {
        w_at += kernel[2] * group_in;
        continue;
      }
      const uint line = (in_plane + in_h) * in_size[2];
      for (uint t = 0u; t < kernel[2]; ++t, w_at += group_in) {
        const uint in_w = source(2u, out_x, t);
        if (in_w >= in_size[2]) continue;
        uint x_at = x_image + (line + in_w) * cell_step;
        for (uint k = 0u; k < group_in; ++k, x_at += x_step) {
          const PACK value = x.v[x_at];
          [[unroll]] for (uint i = 0u; i < OUTS; ++i) sums[i] += dot(value, weights.v[w_at + steps[i] + k]);
        }
      }
    }
  }
  const uint first = group * group_out + channel, channels = groups * group_out;
  const uint y_at =
      CHANNELS_LAST ? (image * cells + cell) * channels + first : (image * channels + first) * cells + cell;
  const uint y_step = CHANNELS_LAST ? 1u : cells;
  [[unroll]] for (uint i = 0u; i < OUTS; ++i) if (channel + i < group_out) y.v[y_at + i * y_step] =
      activate(sums[i] + bias.v[first + i], ACTIVATION);
}
