// Elementwise access to two operands with broadcasting. Results cover dims[0 .. RANK), and each operand has a
// stride per dimension. X_FORM and Y_FORM say how each operand is read for a vector of results; otherwise
// access is element by element.
#ifndef NNRT_BROADCAST_OPERANDS
#define NNRT_BROADCAST_OPERANDS

#include "base/words.glsl"
#include "elementwise/operator_numbers.glsl"

layout(constant_id = 3) const uint OP = 0;  // OH_NN_OperationType
layout(constant_id = 4) const uint RANK = 1;
layout(constant_id = 5) const uint X_FORM = 0;
layout(constant_id = 6) const uint Y_FORM = 0;
const uint ELEMENTS = 0u;  // for both operands
const uint VECTORS = 1u;   // strides count vectors
const uint SPLAT = 2u;     // one element for all lanes; strides count elements

layout(push_constant) uniform Push {
  uint count;        // elements
  float a, b;        // parameters of the operator (BIT_SHIFT: 1 is right), or the scales of quantized x and y
  float scale;       // of quantized z, for quantize()
  uint zero_points;  // of quantized x, y and z, one byte each, then the highest code of z
  uint dims[8];
  int x_strides[8], y_strides[8];
  uint step;  // between an invocation's results, along the outermost dimension
#ifdef Q8
  float low_a, low_b;  // the rest of the factors of ADD and SUB
#endif
};

READS_VECTORS(0, x);
READS_VECTORS(1, y);
WRITES4(2, z);

// The operand indices for result i. `i` becomes its index along the outermost dimension.
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
// Whether f() takes steps: codes without the zero point, instead of real values.
const bool ON_STEPS = OP == OP_ADD || OP == OP_SUB || OP == OP_MUL;
ELEM decode_x(uint word, uint lane) {
  return (ON_STEPS ? 1.0 : a) * float(signed_byte(word, lane) - signed_byte(zero_points, 0u));
}
ELEM decode_y(uint word, uint lane) {
  return (ON_STEPS ? 1.0 : b) * float(signed_byte(word, lane) - signed_byte(zero_points, 1u));
}
#else
ELEM decode_x(uint word, uint lane) { return decode(word, lane); }
ELEM decode_y(uint word, uint lane) { return decode(word, lane); }
#endif

ELEM load_x(uint i) { return decode_x(VECTOR_WORD(x, i / LANES), i % LANES); }
ELEM load_y(uint i) { return decode_y(VECTOR_WORD(y, i / LANES), i % LANES); }
#endif

#endif
