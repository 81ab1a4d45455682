// GRID_SAMPLE on [batch, channels, depth, height, width, inner]; an invocation computes a PACK at one point.
// Coordinate arithmetic must match grid_sample_kernel.cpp step by step.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/exact_quotient.glsl"
#include "base/vec4_access.glsl"

const uint LINEAR = 0u, NEAREST = 1u, CUBIC = 2u;
const uint ZEROS = 0u, BORDER = 1u, REFLECTION = 2u;

layout(constant_id = 3) const uint MODE = LINEAR;
layout(constant_id = 4) const uint PADDING = ZEROS;
layout(constant_id = 5) const bool ALIGN_CORNERS = false;
layout(constant_id = 6) const uint RANK = 2;  // coordinates per point

layout(push_constant) uniform Push {
  uint count;     // PACKs of the output
  uint parts;     // PACKs per cell
  uint channels;  // outer channels
  uint points;    // per image
  int size[3];
};

READS_AS(0, x, PACK);
READS_AS(1, grid, float);
WRITES_AS(2, y, PACK);

const uint kTaps = MODE == NEAREST ? 1u : MODE == LINEAR ? 2u : 4u;

struct Taps {
  ivec4 cells;  // -1: a cell of zeros
  vec4 weights;
};

float reflected(float v, float low, float high) {
  precise const float range = high - low;
  if (!(range > 0.0)) return low;
  precise const float distance = abs(v - low);
  const float turns = floor(exact_quotient(distance, range));
  precise const float whole = turns * range;
  precise const float rest = distance - whole;
  const bool is_even = turns - 2.0 * floor(turns / 2.0) == 0.0;
  return is_even ? low + rest : high - rest;
}

int cell_at(int cell, int length) {
  if (cell >= 0 && cell < length) return cell;
  if (PADDING == ZEROS) return -1;
  if (PADDING == BORDER || length == 1) return cell < 0 ? 0 : length - 1;
  const int period = 2 * (ALIGN_CORNERS ? length - 1 : length);
  const int first = ALIGN_CORNERS ? 0 : -1;  // cell -1 is at distance 1, or 0
  const int distance = (cell < 0 ? first - cell : cell) % period;
  return distance >= length ? period + first - distance : distance;
}

float near_weight(float d) { return (1.25 * d - 2.25) * d * d + 1.0; }
float far_weight(float d) { return ((-0.75 * d + 3.75) * d - 6.0) * d + 3.0; }

Taps taps_of(float coordinate, int length) {
  const float size_of_axis = float(length);
  precise const float moved = coordinate + 1.0;
  precise const float half_moved = moved / 2.0;
  precise const float scaled = moved * size_of_axis;
  precise const float shifted = scaled - 1.0;
  precise const float aligned = half_moved * (size_of_axis - 1.0);
  precise float at = ALIGN_CORNERS ? aligned : shifted / 2.0;
  if (MODE == NEAREST) at = roundEven(at);
  const float low = ALIGN_CORNERS ? 0.0 : -0.5, high = size_of_axis - 1.0 - low;
  if (PADDING == REFLECTION && (at < low || at > high)) at = reflected(at, low, high);
  // Beyond these bounds everything is zeros or the edge; also catches NaN.
  at = at > -4.0 ? (at < size_of_axis + 4.0 ? at : size_of_axis + 4.0) : -4.0;
  if (MODE == NEAREST) return Taps(ivec4(cell_at(int(roundEven(at)), length)), vec4(1.0, 0.0, 0.0, 0.0));
  const float base = floor(at), t = at - base;
  const int first = int(base) - (MODE == CUBIC ? 1 : 0);
  const ivec4 cells = ivec4(cell_at(first, length), cell_at(first + 1, length), cell_at(first + 2, length),
                            cell_at(first + 3, length));
  if (MODE == LINEAR) return Taps(cells, vec4(1.0 - t, t, 0.0, 0.0));
  return Taps(cells, vec4(far_weight(t + 1.0), near_weight(t), near_weight(1.0 - t), far_weight(2.0 - t)));
}

void main() {
  const uint index = global_word();
  if (index >= count) return;
  const uint cell = index / parts, part = index - cell * parts;
  const uint channel = cell / points;
  const uint point = (channel / channels * points + cell - channel * points) * RANK;
  const Taps w = taps_of(grid.v[point], size[2]);
  const Taps h = taps_of(grid.v[point + 1u], size[1]);
  Taps d = Taps(ivec4(0), vec4(1.0));
  if (RANK == 3u) d = taps_of(grid.v[point + RANK - 1u], size[0]);

  PACK result = PACK(0.0);
  for (uint u = 0u; u < (RANK == 3u ? kTaps : 1u); ++u) {
    for (uint v = 0u; v < kTaps; ++v) {
      for (uint t = 0u; t < kTaps; ++t) {
        const ivec3 at = ivec3(d.cells[u], h.cells[v], w.cells[t]);
        if (any(lessThan(at, ivec3(0)))) continue;
        const uint from =
            ((channel * uint(size[0]) + uint(at.x)) * uint(size[1]) + uint(at.y)) * uint(size[2]) +
            uint(at.z);
        result += d.weights[u] * h.weights[v] * w.weights[t] * x.v[from * parts + part];
      }
    }
  }
  y.v[index] = result;
}
