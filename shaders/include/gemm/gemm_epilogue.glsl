// The epilogue: a unary operator, then with ADDS the addition of an operand of the result's
// shape, then a clamp. The including kernel has EPILOGUE_PUSH in its push constants and passes EPILOGUE_ARGS;
// `residual` is at binding 4 unless overridden: the operand that is added, or the factors of postop.glsl, or
// any buffer.
#ifndef NNRT_GEMM_EPILOGUE
#define NNRT_GEMM_EPILOGUE
#include "base/activation_limits.glsl"
#include "base/vec4_access.glsl"
#include "elementwise/postop.glsl"

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

// `at` and `column`: indices of v in the result and among the output channels, in PACKs.
PACK apply_epilogue(PACK v, uint at, uint column, Epilogue how) {
  if (OPERATOR != 0u) v = POSTOP_OF(v, column, residual, uint(how.parameters.x) / WIDTH, how.parameters);
  if (ADDS) v += residual.v[at];
  return limited(v, how.limits);
}

#endif
