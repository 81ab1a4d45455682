// What is done with a sum before it is stored: in variant THEN an operator of one operand (OPERATOR, as
// OH_NN_OperationType; drivers take long to find out that there is none), then with ADDS an operand of the
// result's shape is added, then the result is kept within limits. A kernel that includes this has FINISH in
// its push constants and passes HOW; `residual`, its binding 4, is any buffer where nothing is added.
#ifndef NNRT_FINISH
#define NNRT_FINISH
#include "epilogue.glsl"
#include "parts.glsl"
#ifdef THEN
#include "unary.glsl"
#endif

layout(constant_id = 3) const uint OPERATOR = 0;
layout(constant_id = 4) const bool ADDS = false;

struct Finish {
  vec2 parameters;  // of OPERATOR
  vec2 limits;
};
#define FINISH          \
  float then_a, then_b; \
  float low, high;
#define HOW Finish(vec2(then_a, then_b), vec2(low, high))

READS_AS(4, residual, PART);

// `at` is the place of v in the result, in PARTs.
PART finished(PART v, uint at, Finish how) {
#ifdef THEN
  v = unary_of(OPERATOR, v, how.parameters);
#endif
  if (ADDS) v += residual.v[at];
  return limited(v, how.limits);
}

#endif
