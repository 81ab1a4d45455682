// A chain of elementwise operators: the first one has one or two operands, each other one takes the previous
// result, alone or with another operand. An invocation computes vectors of four adjacent results, `step` rows
// of the outermost dimension apart. Results cover dims[0 .. RANK), and operands have a stride per dimension,
// in vectors, or in elements if an element is splat to all four lanes.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "base/words.glsl"
#include "elementwise/binary_functions.glsl"
#include "elementwise/unary_functions.glsl"

layout(constant_id = 3) const uint RANK = 1;
layout(constant_id = 4) const uint OPERANDS = 1;
layout(constant_id = 5) const uint SPLAT = 0;  // bit i: operand i is splat
// The operators (OH_NN_OperationType), and the other operand of each: 0 for none, else its number, plus 4 if
// it is the left one.
layout(constant_id = 6) const uint OP0 = 0;
layout(constant_id = 7) const uint WITH0 = 0;
layout(constant_id = 8) const uint OP1 = 0;
layout(constant_id = 9) const uint WITH1 = 0;
layout(constant_id = 10) const uint OP2 = 0;
layout(constant_id = 11) const uint WITH2 = 0;
layout(constant_id = 12) const uint OP3 = 0;
layout(constant_id = 13) const uint WITH3 = 0;
layout(constant_id = 14) const uint OP4 = 0;
layout(constant_id = 15) const uint WITH4 = 0;

layout(push_constant) uniform Push {
  vec2 parameters[5];  // two per operator
  uint count;          // vectors
  uint dims[4];
  uint step;
  ivec4 strides[4];  // of the operands, by dimension
};

#ifdef TEXELS
#define OPERAND(slot) layout(set = 0, binding = slot) uniform samplerBuffer operand##slot;
#define OPERAND_VEC4(n, at) texelFetch(operand##n, at)
#else
#define OPERAND(slot)                                                                         \
  layout(std430, set = 0, binding = slot) readonly buffer operand##slot##_block { vec4 v[]; } \
  operand##slot;
#define OPERAND_VEC4(n, at) operand##n.v[at]
#endif
OPERAND(0)
OPERAND(1)
OPERAND(2)
OPERAND(3)
layout(std430, set = 0, binding = 4) writeonly buffer result_block { vec4 v[]; }
result;

// `i` becomes the index along the outermost dimension.
ivec4 places(inout uint i) {
  ivec4 at = ivec4(0);
  [[unroll]] for (int d = int(RANK) - 1; d > 0; --d) {
    const uint rest = i / dims[d];
    at += int(i - rest * dims[d]) * strides[d];
    i = rest;
  }
  return at + int(i) * strides[0];
}

#define LOAD_OPERAND(n, at) \
  ((SPLAT >> n & 1u) != 0u ? vec4(OPERAND_VEC4(n, (at) >> 2)[(at)&3]) : OPERAND_VEC4(n, at))

// Adds quantized values in steps. Its parameters are `high` of sum_of_steps(), and `low` in the last slot.
const uint OP_ADD_STEPS = OP_ADD + 0x10000u, OP_ADD_STEPS_TO_EVEN = OP_ADD + 0x20000u;
const bool ADDS_STEPS = OP0 == OP_ADD_STEPS || OP0 == OP_ADD_STEPS_TO_EVEN;

#define APPLY(n)                                                                            \
  if (OP##n != 0u) {                                                                        \
    const vec2 p = parameters[n];                                                           \
    if (WITH##n == 0u) {                                                                    \
      v = unary_of(OP##n, v, p);                                                            \
    } else {                                                                                \
      const vec4 w = (WITH##n & 3u) == 1u ? second : (WITH##n & 3u) == 2u ? third : fourth; \
      const bool swapped = (WITH##n & 4u) != 0u;                                            \
      const vec4 left = swapped ? w : v, right = swapped ? v : w;                           \
      v = vec4(binary_of(OP##n, left.x, right.x, p), binary_of(OP##n, left.y, right.y, p),  \
               binary_of(OP##n, left.z, right.z, p), binary_of(OP##n, left.w, right.w, p)); \
    }                                                                                       \
  }

// Operands that are the same for all rows are read only once.
#define LOAD(n, variable, component) \
  if (OPERANDS > uint(n) && (is_first || strides[0].component != 0)) variable = LOAD_OPERAND(n, at.component);

void main() {
  const uint i = global_word();
  uint inner = 1u;
  [[unroll]] for (uint d = 1u; d < RANK; ++d) inner *= dims[d];
  if (i >= step * inner) return;
  uint row = i, to = i;
  ivec4 at = places(row);
  vec4 first = vec4(0.0), second = first, third = first, fourth = first;
  for (bool is_first = true; row < dims[0]; is_first = false) {
    LOAD(0, first, x)
    LOAD(1, second, y)
    LOAD(2, third, z)
    LOAD(3, fourth, w)
    vec4 v = first;
    if (ADDS_STEPS) {
      v = sum_of_steps(first, second, parameters[0], parameters[4], OP0 == OP_ADD_STEPS_TO_EVEN);
    } else {
      APPLY(0)
    }
    APPLY(1)
    APPLY(2)
    APPLY(3)
    APPLY(4)
    result.v[to] = v;
    row += step;
    to += step * inner;
    at += int(step) * strides[0];
  }
}
