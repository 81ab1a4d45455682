// Tensors are arrays of 32-bit words. A shader computes in ELEM, with LANES of them per word. Each output
// word is written by one invocation, so that neither atomics nor 8- and 16-bit storage are needed.
#ifndef NNRT_TENSOR_WORDS
#define NNRT_TENSOR_WORDS

layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;

// Bindings of set 0. Barriers are derived from the readonly and writeonly qualifiers.
#define READS(slot, name)                                                            \
  layout(std430, set = 0, binding = slot) readonly buffer name##_block { uint w[]; } \
  name
#define WRITES(slot, name)                                                            \
  layout(std430, set = 0, binding = slot) writeonly buffer name##_block { uint w[]; } \
  name

// Bindings as vectors of four words. Buffers are padded to whole vectors, so the last one can be read and
// written completely.
#define READS4(slot, name)                                                            \
  layout(std430, set = 0, binding = slot) readonly buffer name##_block { uvec4 v[]; } \
  name
#define WRITES4(slot, name)                                                            \
  layout(std430, set = 0, binding = slot) writeonly buffer name##_block { uvec4 v[]; } \
  name
#define WORD(x, i) (x).v[(i) >> 2][(i)&3u]

// The same; in variant TEXELS as texels of four floats, whose bits are preserved.
#ifdef TEXELS
#define READS_VECTORS(slot, name) layout(set = 0, binding = slot) uniform samplerBuffer name
#define VECTOR(x, i) floatBitsToUint(texelFetch(x, int(i)))
#define VECTOR_WORD(x, i) VECTOR(x, (i) >> 2)[(i)&3u]
#else
#define READS_VECTORS(slot, name) READS4(slot, name)
#define VECTOR(x, i) (x).v[i]
#define VECTOR_WORD(x, i) WORD(x, i)
#endif

#if defined(F32)
#define ELEM float
#define LANES 1u
#elif defined(F16)
#define ELEM float
#define LANES 2u
#elif defined(I32)
#define ELEM int
#define LANES 1u
#elif defined(I16) || defined(U16)
#define ELEM int
#define LANES 2u
#elif defined(I8) || defined(U8) || defined(BOOL)
#define ELEM int
#define LANES 4u
#elif defined(Q8)  // dequantized INT8 (R12); the kernel has the scales
#define ELEM float
#define LANES 4u
#elif defined(I64) || defined(F64)
#define ELEM uvec2  // low word first; two elements per vector
#define WIDE
#endif

// The grid overflows from x into y.
uint global_word() {
  return gl_GlobalInvocationID.y * (gl_NumWorkGroups.x * gl_WorkGroupSize.x) + gl_GlobalInvocationID.x;
}

// Rounds to nearest even; packHalf2x16 leaves rounding to the driver. For subnormals, the ULP of 0.5 equals
// their step.
uint fp16_bits(float x) {
  const uint a = floatBitsToUint(x) & 0x7fffffffu;
  precise float shifted = uintBitsToFloat(a) + 0.5;
  uint bits = (a - 0x38000000u + 0xfffu + ((a >> 13) & 1u)) >> 13;
  bits = a < 0x38800000u ? floatBitsToUint(shifted) - 0x3f000000u : bits;
  bits = a >= 0x477ff000u ? 0x7c00u : bits;
  bits = a > 0x7f800000u ? 0x7e00u : bits;
  return (floatBitsToUint(x) >> 16 & 0x8000u) | bits;
}
float fp16_value(uint bits) { return unpackHalf2x16(bits).x; }

uint pack_fp16(float a, float b) { return fp16_bits(a) | fp16_bits(b) << 16; }
uint pack_bytes(ivec4 e) {
  return uint(e.x & 0xff) | uint(e.y & 0xff) << 8 | uint(e.z & 0xff) << 16 | uint(e.w) << 24;
}
uint pack_bools(bvec4 e) { return pack_bytes(ivec4(e)); }

// Broadcasts lane `lane` of `word` to all lanes; for WIDE elements, to the vector.
#ifdef WIDE
uvec2 wide_of(uvec4 words, uint i) { return (i & 1u) == 0u ? words.xy : words.zw; }
#define LOAD_WIDE(x, i) wide_of((x).v[(i) >> 1], i)
#define REPLICATE(x, i) LOAD_WIDE(x, i).xyxy
#elif defined(ELEM)
uint replicate(uint word, uint lane) {
  if (LANES == 1u) return word;
  if (LANES == 2u) return (word >> (lane * 16u) & 0xffffu) * 0x10001u;
  return (word >> (lane * 8u) & 0xffu) * 0x1010101u;
}
#define REPLICATE(x, i) replicate(VECTOR_WORD(x, (i) / LANES), (i) % LANES)
#endif

// Byte `lane` of a word.
int signed_byte(uint word, uint lane) { return bitfieldExtract(int(word), int(lane * 8u), 8); }
int unsigned_byte(uint word, uint lane) { return int((word >> (lane * 8u)) & 0xffu); }

#ifdef ELEM
// Wraps a result for storing: integers modulo 2^bits.
#if defined(I16)
ELEM wrap(ELEM v) { return bitfieldExtract(v, 0, 16); }
#elif defined(I8)
ELEM wrap(ELEM v) { return bitfieldExtract(v, 0, 8); }
#elif defined(U8)
ELEM wrap(ELEM v) { return v & 0xff; }
#else
ELEM wrap(ELEM v) { return v; }
#endif
#endif

// f(lane) for each lane, for pack(); f may be a macro. No loop, because loops over arrays are slow.
#if defined(F32) || defined(I32)
#define EACH_LANE(f) ELEM[1](f(0u))
#elif defined(F16) || defined(I16) || defined(U16)
#define EACH_LANE(f) ELEM[2](f(0u), f(1u))
#else
#define EACH_LANE(f) ELEM[4](f(0u), f(1u), f(2u), f(3u))
#endif

#if defined(ELEM) && !defined(Q8) && !defined(WIDE)
// decode: element `lane` of a word. pack: the word of LANES elements. BOOL is 0 or 1 (R14).
#if defined(F32)
ELEM decode(uint word, uint lane) { return uintBitsToFloat(word); }
uint pack(ELEM e[LANES]) { return floatBitsToUint(e[0]); }
#elif defined(F16)
ELEM decode(uint word, uint lane) { return fp16_value(word >> (lane * 16u)); }
uint pack(ELEM e[LANES]) { return pack_fp16(e[0], e[1]); }
#elif defined(I32)
ELEM decode(uint word, uint lane) { return int(word); }
uint pack(ELEM e[LANES]) { return uint(e[0]); }
#elif defined(I16)
ELEM decode(uint word, uint lane) { return bitfieldExtract(int(word), int(lane * 16u), 16); }
uint pack(ELEM e[LANES]) { return uint(e[0] & 0xffff) | uint(e[1]) << 16; }
#elif defined(U16)
ELEM decode(uint word, uint lane) { return int((word >> (lane * 16u)) & 0xffffu); }
uint pack(ELEM e[LANES]) { return uint(e[0] & 0xffff) | uint(e[1]) << 16; }
#elif defined(I8)
ELEM decode(uint word, uint lane) { return signed_byte(word, lane); }
uint pack(ELEM e[LANES]) { return pack_bytes(ivec4(e[0], e[1], e[2], e[3])); }
#elif defined(U8)
ELEM decode(uint word, uint lane) { return unsigned_byte(word, lane); }
uint pack(ELEM e[LANES]) { return pack_bytes(ivec4(e[0], e[1], e[2], e[3])); }
#elif defined(BOOL)
ELEM decode(uint word, uint lane) { return unsigned_byte(word, lane) != 0 ? 1 : 0; }
uint pack(ELEM e[LANES]) { return pack_bools(notEqual(ivec4(e[0], e[1], e[2], e[3]), ivec4(0))); }
#endif

// Element i of buffer x.
#define LOAD(x, i) decode((x).w[(i) / LANES], (i) % LANES)
#define LOAD4(x, i) decode(WORD(x, (i) / LANES), (i) % LANES)
#endif

#endif
