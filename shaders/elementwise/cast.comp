// CAST between dtypes of 1 to 8 bytes (INT64 and FLOAT64 as two words). Float to integer truncates and
// saturates, NaN gives 0; integers keep their low bits; conversions to float round once, to nearest.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "base/float64_bits.glsl"
#include "base/float_math.glsl"
#include "base/words.glsl"

layout(constant_id = 3) const uint FROM = 0;  // OH_NN_DataType
layout(constant_id = 4) const uint FROM_BYTES = 4;
layout(constant_id = 5) const uint TO = 0;
layout(constant_id = 6) const uint TO_BYTES = 4;
layout(push_constant) uniform Push { uint count, vectors; };

READS4(0, x);
WRITES4(1, y);

const uint BOOL = 1u, INT8 = 2u, INT16 = 3u, INT32 = 4u, INT64 = 5u, UINT8 = 6u, FLOAT16 = 10u, FLOAT32 = 11u,
           FLOAT64 = 12u;

const bool kFromFloat = FROM == FLOAT16 || FROM == FLOAT32;

// An integer or FLOAT64 as low and high word; other floats as FLOAT32 bits.
uvec2 load(uint i) {
  const uint word = WORD(x, i * FROM_BYTES / 4u);
  const uint lane = FROM_BYTES < 4u ? i % (4u / FROM_BYTES) : 0u;
  int low = int(word);
  switch (FROM) {
    case BOOL: low = unsigned_byte(word, lane) != 0 ? 1 : 0; break;
    case INT8: low = signed_byte(word, lane); break;
    case UINT8: low = unsigned_byte(word, lane); break;
    case INT16: low = bitfieldExtract(int(word), int(16u * lane), 16); break;
    case FLOAT16: low = floatBitsToInt(fp16_value(word >> (16u * lane))); break;
  }
  return uvec2(low, FROM_BYTES == 8u ? WORD(x, 2u * i + 1u) : uint(low >> 31));
}

uint float_bits_of(uvec2 value) {
  if (FROM == FLOAT64) return float_bits(value);
  if (FROM == INT64) return float_bits_of_long(value);
  return kFromFloat ? value.x : floatBitsToUint(float(int(value.x)));
}

int truncated(float real, int lowest, int highest) {
  if (is_nan(real)) return 0;
  if (real >= 2147483648.0) return highest;
  return real <= -2147483648.0 ? lowest : clamp(int(real), lowest, highest);
}

uvec2 long_of(float real) {
  if (is_nan(real)) return uvec2(0u);
  if (abs(real) >= 9223372036854775808.0) {
    return real < 0.0 ? uvec2(0u, 0x80000000u) : uvec2(0xffffffffu, 0x7fffffffu);
  }
  const float whole = floor(abs(real));
  const float high = floor(whole / 4294967296.0);
  const uvec2 magnitude = uvec2(uint(whole - high * 4294967296.0), uint(high));
  if (real >= 0.0) return magnitude;
  return uvec2(0u - magnitude.x, ~magnitude.y + (magnitude.x == 0u ? 1u : 0u));
}

uvec2 saturated(uvec2 value, int lowest, int highest) {
  return smaller(larger(value, uvec2(lowest, lowest >> 31)), uvec2(highest, 0));
}

uvec2 integer_of_double(uvec2 value) {
  switch (TO) {
    case INT8: return saturated(long_of(value), -128, 127);
    case UINT8: return saturated(long_of(value), 0, 255);
    case INT16: return saturated(long_of(value), -32768, 32767);
    case INT32: return saturated(long_of(value), int(0x80000000u), 0x7fffffff);
  }
  return long_of(value);
}

uvec2 integer_of(uvec2 value) {
  if (FROM == FLOAT64) return integer_of_double(value);
  if (!kFromFloat) return value;
  const float real = uintBitsToFloat(value.x);
  switch (TO) {
    case INT8: return uvec2(truncated(real, -128, 127), 0);
    case UINT8: return uvec2(truncated(real, 0, 255), 0);
    case INT16: return uvec2(truncated(real, -32768, 32767), 0);
    case INT64: return long_of(real);
  }
  return uvec2(truncated(real, int(0x80000000u), 0x7fffffff), 0);
}

// The low and high word of an element, with its bits at the bottom.
uvec2 converted(uvec2 value) {
  switch (TO) {
    case BOOL:
      if (kFromFloat) value = uvec2(value.x & 0x7fffffffu, 0u);
      if (FROM == FLOAT64) value.y &= 0x7fffffffu;
      return uvec2((value.x | value.y) != 0u ? 1u : 0u, 0u);
    case FLOAT16:
      if (FROM == FLOAT64) return uvec2(fp16_bits(value), 0u);
      return uvec2(fp16_bits(uintBitsToFloat(float_bits_of(value))), 0u);
    case FLOAT32: return uvec2(float_bits_of(value), 0u);
    case FLOAT64: return kFromFloat ? double_of_bits(value.x) : double_of_long(value);
  }
  return integer_of(value);
}

// Elements beyond the last one repeat it.
uint word_of(uint word) {
  if (TO_BYTES == 8u) {
    const uvec2 value = converted(load(min(word / 2u, count - 1u)));
    return word % 2u == 0u ? value.x : value.y;
  }
  const uint mask = 0xffffffffu >> (32u - 8u * TO_BYTES);
  uint result = 0u;
  [[unroll]] for (uint lane = 0u; lane < 4u / TO_BYTES; ++lane) {
    const uint i = min(word * (4u / TO_BYTES) + lane, count - 1u);
    result |= (converted(load(i)).x & mask) << (lane * 8u * TO_BYTES);
  }
  return result;
}

void main() {
  const uint i = global_word();
  if (i < vectors) {
    y.v[i] = uvec4(word_of(4u * i), word_of(4u * i + 1u), word_of(4u * i + 2u), word_of(4u * i + 3u));
  }
}
