// The epilogue: in variant POSTOP a unary operator (OPERATOR, an OH_NN_OperationType; a variant, because
// drivers take long to eliminate it), then with ADDS the addition of an operand of the result's shape, then a
// clamp. The including kernel has EPILOGUE_PUSH in its push constants and passes EPILOGUE_ARGS; `residual` is
// at binding 4 unless overridden, and is any buffer if nothing is added.
#ifndef NNRT_GEMM_EPILOGUE
#define NNRT_GEMM_EPILOGUE
#include "base/activation_limits.glsl"
#include "base/vec4_access.glsl"
#ifdef POSTOP
#include "elementwise/unary_functions.glsl"
#endif

layout(constant_id = 3) const uint OPERATOR = 0;
layout(constant_id = 4) const bool ADDS = false;

struct Epilogue {
  vec2 parameters;  // of OPERATOR
  vec2 limits;
};
#define EPILOGUE_PUSH       \
  float postop_a, postop_b; \
  float low, high;
#define EPILOGUE_ARGS Epilogue(vec2(postop_a, postop_b), vec2(low, high))

#ifndef RESIDUAL_BINDING
#define RESIDUAL_BINDING 4
#endif
READS_AS(RESIDUAL_BINDING, residual, PACK);

// `at`: index of v in the result, in PACKs.
PACK apply_epilogue(PACK v, uint at, Epilogue how) {
#ifdef POSTOP
  v = unary_of(OPERATOR, v, how.parameters);
#endif
  if (ADDS) v += residual.v[at];
  return limited(v, how.limits);
}

#endif
