// Finds the update that each element of a tensor takes: the last that means it. Elements are -1 beforehand;
// an update that means none is skipped.
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
