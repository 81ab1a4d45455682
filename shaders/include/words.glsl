// Tensors are arrays of 32-bit words. A shader computes in ELEM, LANES of which lie in a word; one invocation
// owns one output word, so that no atomics and no 8/16-bit storage are needed.
#ifndef NNRT_WORDS
#define NNRT_WORDS

layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;

// Bindings of set 0. Barriers are derived from what is readonly and what writeonly.
#define READS(slot, name)                                                            \
  layout(std430, set = 0, binding = slot) readonly buffer name##_block { uint w[]; } \
  name
#define WRITES(slot, name)                                                            \
  layout(std430, set = 0, binding = slot) writeonly buffer name##_block { uint w[]; } \
  name

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
#elif defined(Q8)  // the real values of INT8 codes (R12); the kernel knows their scales
#define ELEM float
#define LANES 4u
#endif

// Where the grid in x ends, it goes on in y.
uint global_word() {
  return gl_GlobalInvocationID.y * (gl_NumWorkGroups.x * gl_WorkGroupSize.x) + gl_GlobalInvocationID.x;
}

// Round to nearest, ties to even; packHalf2x16 leaves the rounding to the driver.
uint half_bits(float x) {
  const uint bits = floatBitsToUint(x);
  const uint sign = (bits >> 16) & 0x8000u;
  const uint a = bits & 0x7fffffffu;
  if (a > 0x7f800000u) return sign | 0x7e00u;
  if (a >= 0x477ff000u) return sign | 0x7c00u;
  if (a < 0x38800000u) {  // subnormal: the last place of 0.5 is that of such a half
    precise float shifted = uintBitsToFloat(a) + 0.5;
    return sign | (floatBitsToUint(shifted) - 0x3f000000u);
  }
  return sign | ((a - 0x38000000u + 0xfffu + ((a >> 13) & 1u)) >> 13);
}
float half_value(uint bits) { return unpackHalf2x16(bits).x; }

uint pack_halves(float a, float b) { return half_bits(a) | half_bits(b) << 16; }
uint pack_bytes(ivec4 e) {
  return uint(e.x & 0xff) | uint(e.y & 0xff) << 8 | uint(e.z & 0xff) << 16 | uint(e.w) << 24;
}
uint pack_bools(bvec4 e) { return pack_bytes(ivec4(e)); }

// Byte `lane` of a word.
int signed_byte(uint word, uint lane) { return bitfieldExtract(int(word), int(lane * 8u), 8); }
int unsigned_byte(uint word, uint lane) { return int((word >> (lane * 8u)) & 0xffu); }

#ifdef ELEM
// What is left of a result when it is stored: integers modulo 2^bits.
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

#if defined(ELEM) && !defined(Q8)
// Element `lane` of a word, and the word of LANES elements. BOOL is 0 or 1 (R14).
#if defined(F32)
ELEM decode(uint word, uint lane) { return uintBitsToFloat(word); }
uint pack(ELEM e[LANES]) { return floatBitsToUint(e[0]); }
#elif defined(F16)
ELEM decode(uint word, uint lane) { return half_value(word >> (lane * 16u)); }
uint pack(ELEM e[LANES]) { return pack_halves(e[0], e[1]); }
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

// Element i of the buffer x.
#define LOAD(x, i) decode((x).w[(i) / LANES], (i) % LANES)
#endif

#endif
