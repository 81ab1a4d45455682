// One reduction over the middle of (outer, length, inner); with several chunks, their partial results, as
// (outer, chunks, inner). Variant VEC4 takes four neighbours in inner, variant ROW four along the length.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/int64_pairs.glsl"
#include "base/vec4_access.glsl"

const uint SUM = 0u, PRODUCT = 1u, MAXIMUM = 2u, MINIMUM = 3u, ALL = 4u;
layout(constant_id = 3) const uint OP = SUM;
layout(constant_id = 4) const bool SQUARES = false;  // of the input are summed
layout(constant_id = 5) const bool ROOT = false;     // of the result is taken

layout(push_constant) uniform Push {
  uint count;  // results; PARTs of them for VEC4
  uint length, chunk, chunks, inner;
#ifdef I64
  uint divisor;
#else
  float divisor;
#endif
  float factor;
};

#ifdef BOOL
READS(0, x);
WRITES(1, y);
#define VALUE(at) LOAD(x, at)
#else
READS_PACKS(0, x);
#ifdef ROW
WRITES_AS(1, y, float);
#else
WRITES_AS(1, y, PACK);
#endif
#define VALUE(at) PACK_OF(x, at)
#endif

#ifdef I64  // sums alone
PACK identity() { return PACK(0u); }
PACK merge(PACK a, PACK b) { return add(a, b); }
#else
#if defined(F32)
#define LOWEST uintBitsToFloat(0xff800000u)
#define HIGHEST uintBitsToFloat(0x7f800000u)
#else
#define LOWEST (-0x7fffffff - 1)
#define HIGHEST 0x7fffffff
#endif

PACK identity() {
  switch (OP) {
    case PRODUCT:
    case ALL: return PACK(1);
    case MAXIMUM: return PACK(LOWEST);
    case MINIMUM: return PACK(HIGHEST);
  }
  return PACK(0);
}

PACK merge(PACK a, PACK b) {
  switch (OP) {
    case PRODUCT:
    case ALL: return a * b;
    case MAXIMUM: return larger(a, b);
    case MINIMUM: return smaller(a, b);
  }
  return a + b;
}
#endif

// In blocks, so that the error of a sum grows with the number of blocks, not of elements.
PACK reduced(uint result) {
  const uint i = result % inner;
  const uint part = result / inner;
  const uint outer = part / chunks;
  const uint first = (part - outer * chunks) * chunk;
  const uint end = min(first + chunk, length);
  uint at = (outer * length + first) * inner + i;
  PACK total = identity();
  for (uint k = first; k < end;) {
    PACK block = identity();
    for (const uint stop = min(k + 32u, end); k < stop; ++k, at += inner) {
      const PACK value = VALUE(at);
      block = merge(block, SQUARES ? value * value : value);
    }
    total = merge(total, block);
  }
  return total;
}

#if defined(F32)
float finish(float v) { return (ROOT ? sqrt(v) : v) / divisor * factor; }
vec4 finish(vec4 v) { return (ROOT ? sqrt(v) : v) / divisor * factor; }
#endif

void main() {
  const uint index = global_word();
#ifdef BOOL
  if (index * LANES >= count) return;
  ELEM e[LANES];
  for (uint lane = 0u; lane < LANES; ++lane) {
    const uint result = index * LANES + lane;
    e[lane] = result < count ? reduced(result) : 0;
  }
  y.w[index] = pack(e);
#else
  if (index >= count) return;
  const PACK v = reduced(index);
#if defined(I32)
  y.v[index] = v;
#elif defined(I64)
  y.v[index] = divide(v, uvec2(divisor, 0u));
#elif defined(ROW)
  const vec4 sums = merge(vec4(v.xy, v.xy), vec4(v.zw, v.zw));
  y.v[index] = finish(merge(sums, sums.yyyy).x);
#else
  y.v[index] = finish(v);
#endif
#endif
}
