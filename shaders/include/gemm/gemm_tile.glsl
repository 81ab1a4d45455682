// A register tile of a GEMM. The software drivers check every buffer access and are slow with shared memory,
// so few wide loads win; named accumulators stay in registers, arrays may not. Variant TEXELS reads through
// texel views, two to three times faster on these drivers, in vec4 (VEC4) by four invocations together, or by
// eight (SUBGROUP8). Variant ROW has one row, for matrix-vector products; SMALL has tiles for GPUs with few
// registers.
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
#ifdef HALF
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#endif

// K steps whose products are summed in fp16 before a float sum takes them (variant HALF). Rounding then adds
// at most 17 / 16 * 2^-7 of the sum of the products' magnitudes. Products below 2^-14 lose further bits,
// those below 2^-25 vanish.
#define CHAIN 16u

// The types of factors: of a row, and of four columns.
#ifdef HALF
#define LEFT f16vec4
#define FACTOR f16vec4
#define FACTOR_OF(v) f16vec4(v)
f16vec4 where(bool chosen, f16vec4 a) { return mix(f16vec4(0.0), a, bvec4(chosen)); }
#else
#define LEFT PACK
#define FACTOR vec4
#define FACTOR_OF(v) v
#endif

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

// Both kinds of tile define:
// - SUMS(column, last, has_bias): starts the sums with the bias.
// - EACH_READ(F): for each row that an invocation reads; ROW_READ(i) is its index in the tile.
// - ADD_COLUMNS(at, step): advances WIDTH steps along K, for which the kernel's FETCH(i) loads e##i; `at` is
// the index of the first vec4 of b, `step` the stride to the next one.
// - END_CHAIN (HALF): after at most CHAIN steps.
// - TILE: RESULTS vec4, starting at row RESULT_ROW(i), column RESULT_COLUMN(i).
// A tile is BLOCKS blocks of sixteen columns wide; the invocation's columns are in block OWN_BLOCK.
#if defined(QUADS) || defined(SUBGROUP8)
#include "gemm/subgroup_tile.glsl"
#else
#include "gemm/register_tile.glsl"
#endif

#ifndef FOR_RESULTS
#define FOR_RESULTS(i) for (uint i = 0u; i < RESULTS; ++i)
#endif

#ifdef HALF
// After pack k of K.
#define AFTER_PACK(k) \
  if ((k) % (CHAIN / WIDTH) == CHAIN / WIDTH - 1u) END_CHAIN
#define AFTER_PACKS END_CHAIN
#else
#define AFTER_PACK(k)
#define AFTER_PACKS
#endif

#endif
