// Matrices of 16 by 16 that the 32 invocations of a subgroup hold together, by GL_NV_cooperative_matrix: fp16
// operands that lie in `stage`, and sums of floats. Offsets and strides there are in vectors of 16 bytes.
//
// Variant EMULATED computes the same by loops over `stage`, on any device and whatever its subgroups are:
// with it, all that is around the instructions is tested where there are none. Operands must stay in `stage`
// until they have been multiplied.
#ifndef NNRT_COOPERATIVE_MATRIX
#define NNRT_COOPERATIVE_MATRIX

const uint SIDE = 16u, SUBGROUP = 32u;

#ifdef EMULATED
#define OWN_SUBGROUP (gl_LocalInvocationID.x / SUBGROUP)
#define OWN_LANE (gl_LocalInvocationID.x % SUBGROUP)
#define LEFT uvec2   // offset, stride
#define RIGHT uvec3  // and whether a line is a column
struct Sums {
  float own[SIDE * SIDE / SUBGROUP];  // every 32nd element, row by row
};
#define SUMS Sums
#define NO_SUMS Sums(float[8](0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
#define LOAD_LEFT(to, place, stride) to = uvec2(place, stride)
#define LOAD_RIGHT(to, place, stride, is_columns) to = uvec3(place, stride, is_columns ? 1u : 0u)

float fp16_at(uint place, uint i) {
  const vec2 two = unpackHalf2x16(stage[place + i / 8u][i % 8u / 2u]);
  return two[i % 2u];
}

uint own_element(uint i) { return OWN_LANE + i * SUBGROUP; }

Sums multiplied(uvec2 left, uvec3 right, Sums sums) {
  for (uint i = 0u; i < SIDE * SIDE / SUBGROUP; ++i) {
    const uint row = own_element(i) / SIDE, column = own_element(i) % SIDE;
    for (uint k = 0u; k < SIDE; ++k) {
      const uint line = right.z == 1u ? column : k;
      sums.own[i] +=
          fp16_at(left.x + row * left.y, k) * fp16_at(right.x + line * right.y, right.z == 1u ? k : column);
    }
  }
  return sums;
}
#define MULTIPLY(left, right, sums) sums = multiplied(left, right, sums)

void store_sums(Sums sums, uint place, uint stride) {
  for (uint i = 0u; i < SIDE * SIDE / SUBGROUP; ++i) {
    const uint row = own_element(i) / SIDE, column = own_element(i) % SIDE;
    stage[place + row * stride + column / 4u][column % 4u] = floatBitsToUint(sums.own[i]);
  }
}
#define STORE_SUMS(sums, place, stride) store_sums(sums, place, stride)

#else
#define OWN_SUBGROUP gl_SubgroupID
#define OWN_LANE gl_SubgroupInvocationID
#define LEFT fcoopmatNV<16, gl_ScopeSubgroup, SIDE, SIDE>
#define RIGHT fcoopmatNV<16, gl_ScopeSubgroup, SIDE, SIDE>
#define SUMS fcoopmatNV<32, gl_ScopeSubgroup, SIDE, SIDE>
#define NO_SUMS SUMS(0.0)
#define LOAD_LEFT(to, place, stride) coopMatLoadNV(to, stage, place, stride, false)
#define LOAD_RIGHT(to, place, stride, is_columns) coopMatLoadNV(to, stage, place, stride, is_columns)
#define MULTIPLY(left, right, sums) sums = coopMatMulAddNV(left, right, sums)
#define STORE_SUMS(sums, place, stride) coopMatStoreNV(sums, stage, place, stride, false)
#endif

#endif
