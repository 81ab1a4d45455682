// Prefix sums along the middle of (outer, length, inner). One invocation per line; if lines are few and long,
// one workgroup per line, each invocation with a chunk: it sums its chunk, then continues from the sum of the
// previous ones.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/int64_pairs.glsl"
#include "base/vec4_access.glsl"

layout(constant_id = 3) const bool EXCLUSIVE = false;
layout(constant_id = 4) const bool REVERSE = false;
layout(constant_id = 5) const bool IN_CHUNKS = false;

layout(push_constant) uniform Push { uint lines, length, inner, chunk; };

READS_AS(0, x, ELEM);
WRITES_AS(1, y, ELEM);

const uint kChunks = 64u;
shared ELEM sums[kChunks];

#ifdef WIDE
ELEM plus(ELEM a, ELEM b) { return add(a, b); }
#else
ELEM plus(ELEM a, ELEM b) { return a + b; }
#endif

// The position of element `k` of a line in summation order.
uint position_of(uint line, uint k) {
  const uint outer = line / inner;
  return (outer * length + (REVERSE ? length - 1u - k : k)) * inner + line - outer * inner;
}

void add_up(uint line, uint begin, uint end, ELEM sum) {
  for (uint k = begin; k < end; ++k) {
    const uint at = position_of(line, k);
    const ELEM next = plus(sum, x.v[at]);
    y.v[at] = EXCLUSIVE ? sum : next;
    sum = next;
  }
}

void main() {
  if (!IN_CHUNKS) {
    const uint line = global_word();
    if (line < lines) add_up(line, 0u, length, ELEM(0));
    return;
  }
  const uint line = global_word() / kChunks;
  const uint own = gl_LocalInvocationIndex;
  const uint begin = min(own * chunk, length), end = min(begin + chunk, length);
  ELEM sum = ELEM(0);
  if (line < lines)
    for (uint k = begin; k < end; ++k) sum = plus(sum, x.v[position_of(line, k)]);
  sums[own] = sum;
  barrier();
  sum = ELEM(0);
  for (uint before = 0u; before < own; ++before) sum = plus(sum, sums[before]);
  if (line < lines) add_up(line, begin, end, sum);
}
