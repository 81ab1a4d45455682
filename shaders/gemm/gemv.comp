// y = epilogue(a x b + bias) for up to eight rows, bound by reading b. A workgroup shares four columns, which
// are rows of b: its invocations take every n-th step and reduce their sums. Variant LONG reads vec4 along K;
// variant VEC4 also stores vec4. In variant COLUMNS b is not transposed: a step is a row of b, of which a
// workgroup reads several adjacent vec4.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "base/row_group.glsl"
#include "gemm/gemm_store.glsl"

#if defined(COLUMNS)
#define LEFT float
#define RIGHT vec4
#elif defined(VEC4) || defined(LONG)
#define LEFT vec4
#define RIGHT vec4
#else
#define LEFT float
#define RIGHT float
#endif

const uint MAX_ROWS = 8u;
layout(constant_id = 5) const uint ROWS = 1;
layout(constant_id = 6) const uint ACROSS = 1;

layout(push_constant) uniform Push {
  uint columns, inner;    // inner: LEFTs per row of a
  uint matrices, batch;   // batch: matrices in the inner of two dimensions
  uint a_outer, a_inner;  // in LEFTs
  uint b_outer, b_inner;  // in RIGHTs
  uint y_matrix;
  uint a_offset, b_offset, y_offset;
  uint y_row;  // row stride of y
  uint has_bias;
  EPILOGUE_PUSH
};

READS_AS(0, a, LEFT);
READS_AS(1, b, RIGHT);

#define PLUS(a, b) ((a) + (b))
ROW_REDUCTION(sum_of_row, vec4, PLUS, subgroupAdd)

vec4 sums[MAX_ROWS];

#ifdef COLUMNS
void add_products(uint a_from, uint b_from, uint column) {
  const uint line = columns / 4u;
  for (uint k = OWN_LANE; k < inner; k += ROW_LANES) {
    const vec4 four = b.v[b_from + k * line + column / 4u];
    [[unroll]] for (uint row = 0u; row < ROWS; ++row) sums[row] += a.v[a_from + row * inner + k] * four;
  }
}
#else
float product_of(float left, float right) { return left * right; }
float product_of(vec4 left, vec4 right) { return dot(left, right); }

void add_products(uint a_from, uint b_from, uint column) {
  const uvec4 lines =
      min(uvec4(column, column + 1u, column + 2u, column + 3u), uvec4(columns - 1u)) * inner + b_from;
  for (uint k = OWN_LANE; k < inner; k += ROW_LANES) {
    const RIGHT c0 = b.v[lines.x + k], c1 = b.v[lines.y + k], c2 = b.v[lines.z + k], c3 = b.v[lines.w + k];
    LEFT left[MAX_ROWS];  // loaded together, or each would be waited for
    [[unroll]] for (uint row = 0u; row < ROWS; ++row) left[row] = a.v[a_from + row * inner + k];
    [[unroll]] for (uint row = 0u; row < ROWS; ++row) {
      const LEFT e = left[row];
      sums[row] += vec4(product_of(e, c0), product_of(e, c1), product_of(e, c2), product_of(e, c3));
    }
  }
}
#endif

void multiply(uint matrix, uint column) {
  const uint outer = matrix / batch;
  const uint nth = matrix - outer * batch;
  const uint y_from = y_offset + matrix * y_matrix;
  [[unroll]] for (uint row = 0u; row < ROWS; ++row) sums[row] = vec4(0.0);
  add_products(a_offset + outer * a_outer + nth * a_inner, b_offset + outer * b_outer + nth * b_inner,
               column);
  const vec4 start = bias_vec4(column, columns - 1u, has_bias != 0u);
  [[unroll]] for (uint row = 0u; row < ROWS; ++row) {
    const vec4 sum = sum_of_row(sums[row]) + start;
    if (OWN_LANE == row % ROW_LANES)
      store(sum, 0u, column, columns, y_from + row * y_row + column, EPILOGUE_ARGS);
  }
}

void main() {
  const uint column = OWN_ROW((columns + 3u) / 4u) * 4u;
  for (uint matrix = gl_WorkGroupID.z; matrix < matrices; matrix += gl_NumWorkGroups.z) {
    multiply(matrix, column);
  }
}
