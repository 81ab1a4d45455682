// A reduction over the middle of (outer, length, inner); with several chunks, partial results as (outer,
// chunks, inner). Variant VEC4 loads four neighbours along inner, variant ROW four along length. One
// invocation per result; in variants GROUP and SUBGROUPS one workgroup.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/int64_pairs.glsl"
#include "base/row_group.glsl"
#include "base/vec4_access.glsl"

const uint SUM = 0u, PRODUCT = 1u, MAXIMUM = 2u, MINIMUM = 3u, ALL = 4u;
layout(constant_id = 3) const uint OP = SUM;
layout(constant_id = 4) const bool SQUARES = false;  // reduce the squares of the input
layout(constant_id = 5) const bool ROOT = false;     // take the square root of the result
#ifdef GROUP
layout(constant_id = 6) const uint ACROSS = 1;
#endif

layout(push_constant) uniform Push {
  uint count;  // results; PACKs of them for VEC4
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

#ifdef I64
PACK identity() {
  switch (OP) {
    case PRODUCT: return PACK(1u, 0u);
    case MAXIMUM: return PACK(0u, 0x80000000u);
    case MINIMUM: return PACK(~0u, 0x7fffffffu);
  }
  return PACK(0u);
}

PACK merge(PACK a, PACK b) {
  switch (OP) {
    case PRODUCT: return multiply(a, b);
    case MAXIMUM: return larger(a, b);
    case MINIMUM: return smaller(a, b);
  }
  return add(a, b);
}
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

#ifdef ROW
#define OF_ROW float
float total_of(vec4 v) {
  const vec4 pairs = merge(vec4(v.xy, v.xy), vec4(v.zw, v.zw));
  return merge(pairs, pairs.yyyy).x;
}
float merge_of_row(float a, float b) { return merge(vec4(a), vec4(b)).x; }
#else
#define OF_ROW PACK
#define total_of(v) (v)
#define merge_of_row merge
#endif
#ifdef SUBGROUPS
OF_ROW by_subgroup(OF_ROW v) {
  switch (OP) {
    case PRODUCT:
    case ALL: return subgroupMul(v);
    case MAXIMUM: return subgroupMax(v);
    case MINIMUM: return subgroupMin(v);
  }
  return subgroupAdd(v);
}
#endif
// Merges the elements at [from, stop) of this invocation, as FOR_EACH_LOAD orders them, but without a second
// loop for the rest: loads past the end read the last element again and merge the identity.
#ifdef GROUP
#if defined(VEC4)
#define BOOLS bvec4
#elif defined(I64)
#define BOOLS bvec2
#else
#define BOOLS bool
#endif
#define MERGE_EACH(block, from, stop, load)                                                          \
  for (uint next = from; next < stop; next += 4u * ROW_LANES) {                                      \
    PACK values[4];                                                                                  \
    [[unroll]] for (uint i = 0u; i < 4u; ++i) {                                                      \
      const uint k = min(next + i * ROW_LANES, stop - 1u);                                           \
      values[i] = load;                                                                              \
    }                                                                                                \
    [[unroll]] for (uint i = 0u; i < 4u; ++i) {                                                      \
      block = merge(block, mix(identity(), operand(values[i]), BOOLS(next + i * ROW_LANES < stop))); \
    }                                                                                                \
  }
#else
#define MERGE_EACH(block, from, stop, load) \
  FOR_EACH_LOAD(k, from, stop, PACK, value, load, { block = merge(block, operand(value)); })
#endif
PACK operand(PACK v) { return SQUARES ? v * v : v; }

ROW_REDUCTION(reduction_of_row, OF_ROW, merge_of_row, by_subgroup)

// Blocked, so that the error grows with the number of blocks, not of elements.
OF_ROW reduced(uint result) {
  const uint i = result % inner;
  const uint part = result / inner;
  const uint outer = part / chunks;
  const uint first = (part - outer * chunks) * chunk;
  const uint end = min(first + chunk, length);
  const uint origin = outer * length * inner + i;
  PACK total = identity();
  for (uint from = first + OWN_LANE; from < end; from += 32u * ROW_LANES) {
    PACK block = identity();
    const uint stop = min(from + 32u * ROW_LANES, end);
    MERGE_EACH(block, from, stop, VALUE(origin + k * inner))
    total = merge(total, block);
  }
  return reduction_of_row(total_of(total));
}

#if defined(F32)
float finish(float v) { return (ROOT ? sqrt(v) : v) / divisor * factor; }
vec4 finish(vec4 v) { return (ROOT ? sqrt(v) : v) / divisor * factor; }
#endif

void main() {
#ifdef BOOL
  const uint words = (count + LANES - 1u) / LANES;
  const uint index = OWN_ROW(words);
  if (index >= words) return;
  ELEM e[LANES];
  for (uint lane = 0u; lane < LANES; ++lane) {
    const uint result = index * LANES + lane;
    const ELEM of_all = reduced(min(result, count - 1u));
    e[lane] = result < count ? of_all : 0;
  }
  if (OWN_LANE == 0u) y.w[index] = pack(e);
#else
  const uint index = OWN_ROW(count);
  if (index >= count) return;
  const OF_ROW v = reduced(index);
  if (OWN_LANE != 0u) return;
#if defined(I32)
  y.v[index] = v;
#elif defined(I64)
  y.v[index] = divisor == 1u ? v : divide(v, uvec2(divisor, 0u));
#else
  y.v[index] = finish(v);
#endif
#endif
}
