// A tile of a GEMM in registers. The software drivers check every access to a buffer and are slow with shared
// memory, so that few wide loads win; named accumulators stay in registers, arrays may not. Variant TEXELS
// reads through views of texels, which these drivers do two to three times faster, and of vec4 (VEC4) by four
// invocations together, or eight (SUBGROUP8). Variant ROW has one row, for products with vectors.
#ifndef NNRT_GEMM_TILE
#define NNRT_GEMM_TILE
#if defined(SUBGROUP8)
#define TEXELS
#extension GL_KHR_shader_subgroup_shuffle : require
#elif defined(TEXELS) && defined(VEC4) && !defined(ROW)
#define QUADS
#extension GL_KHR_shader_subgroup_quad : require
#endif
#include "gemm/gemm_epilogue.glsl"

#define VEC4S 4u
#define COLUMNS 16u

#ifdef TEXELS
READS_TEXELS(1, b);
#define B(i) TEXEL(b, i)
#else
READS_AS(1, b, vec4);  // four columns at a time
#define B(i) b.v[i]
#endif
#if defined(TEXELS) && defined(VEC4)
READS_TEXELS(0, a);
#define A(i) TEXEL(a, i)
#else
READS_AS(0, a, PACK);
#define A(i) a.v[i]
#endif
READS_AS(2, bias, PACK);
WRITES_AS(3, y, PACK);

// Sums begin with the bias of their columns. `at` is that of the first of sixteen columns, `last` that of the
// last one there is.
vec4 bias_vec4(uint at, uint last, bool has_bias) {
#ifdef VEC4
  return where(has_bias, bias.v[has_bias ? min(at, last) / 4u : 0u]);
#else
  const uvec4 each = has_bias ? min(uvec4(at, at + 1u, at + 2u, at + 3u), uvec4(last)) : uvec4(0u);
  return where(has_bias, vec4(bias.v[each.x], bias.v[each.y], bias.v[each.z], bias.v[each.w]));
#endif
}

// Stores `four`, the columns from `column` on of `columns`, at element `at` of y.
void store(vec4 four, uint column, uint columns, uint at, Epilogue how) {
#ifdef VEC4
  y.v[at / 4u] = apply_epilogue(four, at / 4u, how);
#else
  for (uint i = 0u; i < min(4u, columns - column); ++i) y.v[at + i] = apply_epilogue(four[i], at + i, how);
#endif
}

// Both kinds of tiles have: SUMS(column, last, has_bias) begins the sums with the bias. EACH_READ(F) is for
// the rows that an invocation reads, ROW_READ(i) its index in the tile. ADD_COLUMNS(at, step) goes WIDTH
// steps along the inner dimension, of which FETCH(i), the kernel's, reads e##i; `at` is the index of the
// first vec4 of b, `step` the stride to the next. TILE are RESULTS vec4, of row RESULT_ROW(i), from column
// RESULT_COLUMN(i) on. A tile is BLOCKS blocks of sixteen columns wide; the invocation's own columns are in
// block OWN_BLOCK of them.
#if defined(QUADS) || defined(SUBGROUP8)
#include "gemm/subgroup_tile.glsl"
#else
#include "gemm/register_tile.glsl"
#endif

#endif
