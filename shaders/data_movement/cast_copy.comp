// Copies one region of a data movement operator (core/schema/data_movement/copy_regions.h) with conversion
// between FLOAT32 and fp16, rounded like cast.comp. An invocation copies several units, `row_step` apart
// along the outermost dimension. A unit is a vector of 16 bytes (VECTORS) or a word (WORDS) whose elements
// are adjacent in the output and `step` apart in the input; to_offset and to_strides count units. With PAIRS
// a unit is a word of two fp16 values, and values outside of the region are preserved.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "base/words.glsl"

layout(constant_id = 3) const bool TO_FP16 = false;
layout(constant_id = 4) const uint RANK = 1;
layout(constant_id = 5) const uint UNIT = 0;
const uint PAIRS = 0, WORDS = 1, VECTORS = 2;
layout(push_constant) uniform Push {
  uint work;  // invocations
  int from_offset, to_offset;
  int dims[8], from_strides[8], to_strides[8];  // by descending to_strides
  int step;
  int row_step;
};

READS4(0, x);
layout(std430, set = 0, binding = 1) buffer y_block { uvec4 v[]; }
y;

float float_at(int i) {
  if (TO_FP16) return uintBitsToFloat(WORD(x, uint(i)));
  return fp16_value(WORD(x, uint(i) >> 1) >> (16u * (uint(i) & 1u)));
}

// Word `nth` of the unit that begins with input element `from`.
uint word_of(int from, int nth) {
  if (!TO_FP16) return floatBitsToUint(float_at(from + nth * step));
  return pack_fp16(float_at(from + 2 * nth * step), float_at(from + (2 * nth + 1) * step));
}

void cast_units(uint i) {
  int from = from_offset, to = to_offset;
  int row = int(i);
  [[unroll]] for (int d = int(RANK) - 1; d > 0; --d) {
    const int quotient = row / dims[d];
    const int digit = row - quotient * dims[d];
    from += digit * from_strides[d];
    to += digit * to_strides[d];
    row = quotient;
  }
  from += row * from_strides[0];
  to += row * to_strides[0];
  for (; row < dims[0]; row += row_step) {
    if (UNIT == VECTORS) {
      y.v[to] = uvec4(word_of(from, 0), word_of(from, 1), word_of(from, 2), word_of(from, 3));
    } else {
      WORD(y, uint(to)) = word_of(from, 0);
    }
    from += row_step * from_strides[0];
    to += row_step * to_strides[0];
  }
}

// The input element for output element `to`; -1 outside of the region.
int source_of(int to) {
  int rest = to - to_offset;
  int from = from_offset;
  bool inside = rest >= 0;
  [[unroll]] for (int d = 0; d < int(RANK); ++d) {
    const int digit = rest / to_strides[d];
    inside = inside && digit < dims[d];
    from += digit * from_strides[d];
    rest -= digit * to_strides[d];
  }
  return inside && rest == 0 ? from : -1;
}

void cast_pair(uint word) {
  const int low = source_of(int(2u * word)), high = source_of(int(2u * word + 1u));
  uint kept = 0u;
  if (low < 0 || high < 0) kept = WORD(y, word);
  const uint both = pack_fp16(float_at(max(low, 0)), float_at(max(high, 0)));
  const uint mask = (low < 0 ? 0u : 0xffffu) | (high < 0 ? 0u : 0xffff0000u);
  WORD(y, word) = (both & mask) | (kept & ~mask);
}

void main() {
  const uint i = global_word();
  if (i >= work) return;
  if (UNIT == PAIRS) {
    cast_pair(uint(to_offset) / 2u + i);
  } else {
    cast_units(i);
  }
}
