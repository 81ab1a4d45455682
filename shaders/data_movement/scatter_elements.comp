// For each element of a tensor, finds the last update that selects it. Elements start as -1; updates with
// invalid indices are skipped.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/indexed_elements.glsl"

layout(std430, set = 0, binding = 1) buffer winners_block { int w[]; }
winners;

void main() {
  const uint i = global_word();
  if (i >= count) return;
  const int place = place_of(i);
  if (place >= 0) atomicMax(winners.w[place], int(i));
}
