// The unary operator of an epilogue: OPERATOR, 0 if there is none. Pipelines are made without what it does
// not need (prune_shader.h). If it requantizes, its factors come from a buffer, one per column, and from
// `stride` on their digits.
#ifndef NNRT_POSTOP
#define NNRT_POSTOP

layout(constant_id = 3) const uint OPERATOR = 0;
#include "elementwise/unary_functions.glsl"

#define POSTOP_OF(real, column, factors, stride, parameters)                                                  \
  (OPERATOR == OP_QUANT_DTYPE_CAST     ? requantized(real, factors.v[column], factors.v[(column) + (stride)]) \
   : OPERATOR == OP_REQUANTIZE_TO_EVEN ? requantized_to_even(real, factors.v[column])                         \
                                       : unary_of(OPERATOR, real, parameters))

#endif
