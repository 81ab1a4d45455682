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
#include "gemm/gemm_store.glsl"

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
