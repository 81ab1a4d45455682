// Element by element over two operands with broadcasting. Results are walked over dims[0 .. RANK) with each
// operand's strides: whole vectors of results where X_FORM and Y_FORM say how each operand comes in such
// vectors, else element by element.
#ifndef NNRT_BROADCAST_OPERANDS
#define NNRT_BROADCAST_OPERANDS

#include "base/words.glsl"

layout(constant_id = 3) const uint OP = 0;  // as OH_NN_OperationType
layout(constant_id = 4) const uint RANK = 1;
layout(constant_id = 5) const uint X_FORM = 0;
layout(constant_id = 6) const uint Y_FORM = 0;
const uint ELEMENTS = 0u;  // the form of both operands
const uint VECTORS = 1u;   // strides count vectors
const uint SPLAT = 2u;     // one element for a whole vector of results; strides count elements

layout(push_constant) uniform Push {
  uint count;   // elements
  float a, b;   // parameters of the operator (BIT_SHIFT: 1 to the right), or the scales of quantized x and y
  float scale;  // scale of quantized z, as quantize() takes it
  uint zero_points;  // zero points of quantized x, y and z, a byte each
  uint dims[8];
  int x_strides[8], y_strides[8];
  uint step;  // distance in the outermost dimension between the results of an invocation
};

READS_VECTORS(0, x);
READS_VECTORS(1, y);
WRITES4(2, z);

// The indices of the operands of result i. `i` becomes its index along the outermost dimension.
ivec2 places_and_row(inout uint i) {
  ivec2 place = ivec2(0);
  [[unroll]] for (int d = int(RANK) - 1; d > 0; --d) {
    const uint rest = i / dims[d];
    place += int(i - rest * dims[d]) * ivec2(x_strides[d], y_strides[d]);
    i = rest;
  }
  return place + int(i) * ivec2(x_strides[0], y_strides[0]);
}
uvec2 places(uint i) { return uvec2(places_and_row(i)); }

#ifdef WIDE
ELEM load_x(uint i) { return LOAD_WIDE(x, i); }
ELEM load_y(uint i) { return LOAD_WIDE(y, i); }
#else
#ifdef Q8
ELEM decode_x(uint word, uint lane) {
  return a * float(signed_byte(word, lane) - signed_byte(zero_points, 0u));
}
ELEM decode_y(uint word, uint lane) {
  return b * float(signed_byte(word, lane) - signed_byte(zero_points, 1u));
}
#else
ELEM decode_x(uint word, uint lane) { return decode(word, lane); }
ELEM decode_y(uint word, uint lane) { return decode(word, lane); }
#endif

ELEM load_x(uint i) { return decode_x(VECTOR_WORD(x, i / LANES), i % LANES); }
ELEM load_y(uint i) { return decode_y(VECTOR_WORD(y, i / LANES), i % LANES); }
#endif

#endif
