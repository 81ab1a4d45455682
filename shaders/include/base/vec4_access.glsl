// An invocation processes a PACK of WIDTH adjacent elements. Variant VEC4 of a kernel binds its buffers as
// arrays of vec4, for tensors whose last dimension is a multiple of 4.
#ifndef NNRT_PACKS
#define NNRT_PACKS
#include "base/words.glsl"

#ifdef VEC4
#define PACK vec4
#define WIDTH 4u
#else
#define PACK ELEM
#define WIDTH 1u
#endif

#define READS_AS(slot, name, type)                                                   \
  layout(std430, set = 0, binding = slot) readonly buffer name##_parts { type v[]; } \
  name
#define WRITES_AS(slot, name, type)                                                   \
  layout(std430, set = 0, binding = slot) writeonly buffer name##_parts { type v[]; } \
  name

// Read-only texels of four floats, which some drivers read faster than storage buffers. Variant SUBGROUP8
// reads them as images.
#ifdef SUBGROUP8
#define READS_TEXELS(slot, name) layout(set = 0, binding = slot, rgba32f) readonly uniform imageBuffer name
#define TEXEL(name, i) imageLoad(name, int(i))
#else
#define READS_TEXELS(slot, name) layout(set = 0, binding = slot) uniform samplerBuffer name
#define TEXEL(name, i) texelFetch(name, int(i))
#endif

// Buffers read in PACKs; in variant TEXELS (a variant of VEC4) as texels.
#ifdef TEXELS
#define READS_PACKS(slot, name) READS_TEXELS(slot, name)
#define PACK_OF(name, i) TEXEL(name, i)
#else
#define READS_PACKS(slot, name) READS_AS(slot, name, PACK)
#define PACK_OF(name, i) name.v[i]
#endif

// Comparisons, because max and min leave the handling of NaN to the driver.
float larger(float a, float b) { return b > a ? b : a; }
vec4 larger(vec4 a, vec4 b) { return mix(a, b, greaterThan(b, a)); }
int larger(int a, int b) { return max(a, b); }
float smaller(float a, float b) { return b < a ? b : a; }
vec4 smaller(vec4 a, vec4 b) { return mix(a, b, lessThan(b, a)); }
int smaller(int a, int b) { return min(a, b); }

float where(bool chosen, float a) { return chosen ? a : 0.0; }
vec4 where(bool chosen, vec4 a) { return mix(vec4(0.0), a, bvec4(chosen)); }

#endif
