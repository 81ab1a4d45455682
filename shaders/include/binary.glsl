// Element by element over two operands with broadcasting: `count` results, whose indices are walked over
// dims[0 .. rank) with each operand's strides (rank 1 where nothing is broadcast but a scalar).
#ifndef NNRT_BINARY
#define NNRT_BINARY

#include "words.glsl"

layout(constant_id = 3) const uint OP = 0;  // as OH_NN_OperationType
layout(push_constant) uniform Push {
  uint count, rank;
  float a, b;        // parameters of the operator, or the scales of quantized x and y
  float scale;       // of quantized z
  uint zero_points;  // of quantized x, y and z, a byte each
  uint dims[8];
  int x_strides[8], y_strides[8];
};

READS(0, x);
READS(1, y);
WRITES(2, z);

// Where result i finds its operands.
ivec2 places(uint i) {
  ivec2 place = ivec2(0);
  for (int d = int(rank) - 1; d > 0; --d) {
    const uint rest = i / dims[d];
    place += int(i - rest * dims[d]) * ivec2(x_strides[d], y_strides[d]);
    i = rest;
  }
  return place + int(i) * ivec2(x_strides[0], y_strides[0]);
}

#ifdef Q8
ELEM load_x(int i) { return a * float(signed_byte(x.w[i >> 2], i & 3) - signed_byte(zero_points, 0u)); }
ELEM load_y(int i) { return b * float(signed_byte(y.w[i >> 2], i & 3) - signed_byte(zero_points, 1u)); }
#else
ELEM load_x(int i) { return LOAD(x, uint(i)); }
ELEM load_y(int i) { return LOAD(y, uint(i)); }
#endif

#endif
