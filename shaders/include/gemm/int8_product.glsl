// Operands and results of INT8 products with exact sums, by packed dot products. In both operands the inner
// dimension is contiguous and fills whole words.
//
// sum (a - za) (b - zb) = sum a b - zb sum a - za sum b + za zb. Raw values are multiplied, and the input is
// padded with its zero point.
#ifndef NNRT_INT8_PRODUCT
#define NNRT_INT8_PRODUCT
#extension GL_EXT_control_flow_attributes : require
#include "base/words.glsl"
#include "gemm/int8_code.glsl"
#include "gemm/packed_dot.glsl"

// The inner dimension fills 16-byte vectors, which are loaded at once.
layout(constant_id = 3) const bool VECTORS = false;

layout(push_constant) uniform Push {
  uint pixels;  // output pixels, or rows
  uint out_height, out_width, in_height, in_width;
  uint pixel_words, group_words;  // words per pixel of a, and per group
  uint columns, groups;           // columns per group
  uint kernel_height, kernel_width, stride_height, stride_width, dilation_height, dilation_width;
  int top, left;
  uint matrices, a_matrix, b_matrix, y_matrix;  // matrix strides, in words
  int left_zero;                                // zero point of a
  REQUANTIZE_PUSH
};

READS4(0, a);
READS4(1, b);           // [matrix or group][column][inner]
READS4(2, parameters);  // per column of all groups: the factor of its sums, the zero point of b, and the
                        // factor's digits
READS(3, bias);
WRITES(4, y);

// What a row adds to the sums of four columns, and how they are requantized. Read once for all rows.
struct Columns {
  ivec4 addends, zeros;
  vec4 factors, digits;
};

Columns columns_at(uint channel, uint inner, ivec4 right_sum) {
  Columns all;
  [[unroll]] for (uint i = 0u; i < 4u; ++i) {
    const uvec4 own = parameters.v[channel + i];
    const int right_zero = int(own.y);
    all.zeros[i] = right_zero;
    all.factors[i] = uintBitsToFloat(own.x);
    all.digits[i] = uintBitsToFloat(own.z);
    all.addends[i] = int(inner * 4u) * left_zero * right_zero - left_zero * right_sum[i];
    if (has_bias != 0u) all.addends[i] += int(bias.w[channel + i]);
  }
  return all;
}

// Stores four results at word `at`.
void store(ivec4 sums, int left_sum, Columns all, uint at) {
  sums += all.addends - all.zeros * left_sum;
  if (rounding == ROUNDS_NONE) {
    [[unroll]] for (uint i = 0u; i < 4u; ++i) y.w[4u * at + i] = uint(sums[i]);
  } else {
    ivec4 codes;
    for (uint i = 0u; i < 4u; ++i) {
      codes[i] = code_of(sums[i], all.factors[i], all.digits[i], rounding, vec2(low, high), zero);
    }
    y.w[at] = pack_bytes(codes);
  }
}

#endif
