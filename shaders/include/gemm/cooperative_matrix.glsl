// Cooperative matrices by GL_NV_cooperative_matrix: operands M x K and K x N from `stage`, and sums M x N.
// Operands are fp16 with float sums, in variant INT8 signed bytes with integer sums. Offsets and strides are
// in 16-byte vectors. khr_opcodes.h converts to GL_KHR_cooperative_matrix, where operands have separate
// types.
//
// Variant EMULATED computes the same by loops over `stage`, on any device and with any subgroup size, so that
// everything around the instructions can be tested without them. Operands must stay in `stage` until they
// have been multiplied.
#ifndef NNRT_COOPERATIVE_MATRIX
#define NNRT_COOPERATIVE_MATRIX
#extension GL_EXT_control_flow_attributes : require

// Unless the loop is unrolled, an array indexed by it is in memory, not in registers. With emulated matrices
// unrolling would only lengthen compilation.
#ifdef EMULATED
#define UNROLL
#else
#define UNROLL [[unroll]]
#endif
#define ROLLED

layout(constant_id = 7) const uint SUBGROUP = 32;  // invocations
// Whether loops over K stay rolled. Only lavapipe multiplies matrices in subgroups of 8. There, each load of
// an element is a branch per invocation, and compile time grows with the square of the number of branches.
const bool FEW_INSTRUCTIONS = SUBGROUP == 8u;
layout(constant_id = 8) const uint M = 16;
layout(constant_id = 9) const uint N = 16;
layout(constant_id = 10) const uint K = 16;

#ifdef INT8
const uint PER_VECTOR = 16u;  // operands per 16 bytes
#define SUM4 ivec4
#define SUM4_OF(bits) ivec4(bits)
#define BITS_OF(sum) uint(sum)
#else
const uint PER_VECTOR = 8u;
#define SUM4 vec4
#define SUM4_OF(bits) uintBitsToFloat(bits)
#define BITS_OF(sum) floatBitsToUint(sum)
#endif

#ifdef EMULATED
#define OWN_SUBGROUP (gl_LocalInvocationID.x / SUBGROUP)
#define OWN_LANE (gl_LocalInvocationID.x % SUBGROUP)
#define LEFT uvec2   // offset, stride
#define RIGHT uvec3  // and whether it is stored by columns
const uint OWN = M * N / SUBGROUP;
struct Sums {
  SUM4 own[4];  // SUBGROUP-strided, row by row; sized for the smallest subgroups
};
#define SUMS Sums
#define NO_SUMS Sums(SUM4[4](SUM4(0), SUM4(0), SUM4(0), SUM4(0)))
#define LOAD_LEFT(to, place, stride) to = uvec2(place, stride)
#define LOAD_RIGHT(to, place, stride, is_columns) to = uvec3(place, stride, is_columns ? 1u : 0u)

uint own_element(uint i) { return OWN_LANE + i * SUBGROUP; }

#ifdef INT8
#define SUM int
ivec4 bytes_of(uint word) {
  return ivec4(bitfieldExtract(int(word), 0, 8), bitfieldExtract(int(word), 8, 8),
               bitfieldExtract(int(word), 16, 8), int(word) >> 24);
}

// Sixteen K steps, from k on, of a row and a column, which are both contiguous.
int product_of_vector(uint row, uvec3 right, uint column, uint k) {
  const uvec4 left = stage[row + k / 16u];
  const uvec4 line = stage[right.x + column * right.y + k / 16u];
  ivec4 sums = ivec4(0);
  [[unroll]] for (uint i = 0u; i < 4u; ++i) sums += bytes_of(left[i]) * bytes_of(line[i]);
  return sums.x + sums.y + sums.z + sums.w;
}
#else
#define SUM float
float fp16_at(uint place, uint i) {
  const vec2 two = unpackHalf2x16(stage[place + i / 8u][i % 8u / 2u]);
  return two[i % 2u];
}

// Eight K steps, from k on, of a row and a column.
float product_of_vector(uint row, uvec3 right, uint column, uint k) {
  const bool is_columns = right.z == 1u;
  const uvec4 left = stage[row + k / 8u];
  const uvec4 line = stage[right.x + (is_columns ? column * right.y + k / 8u : 0u)];
  float sum = 0.0;
  [[unroll]] for (uint i = 0u; i < 4u; ++i) {
    const uint at = right.x + (k + 2u * i) * right.y;
    const vec2 two =
        is_columns ? unpackHalf2x16(line[i]) : vec2(fp16_at(at, column), fp16_at(at + right.y, column));
    sum += dot(unpackHalf2x16(left[i]), two);
  }
  return sum;
}
#endif

// lavapipe limits the total iterations of a loop with all loops inside, so no outer loop is over K.
Sums multiplied(uvec2 left, uvec3 right, Sums sums) {
  for (uint i = 0u; i < OWN; ++i) {
    const uint row = own_element(i) / N, column = own_element(i) % N;
    SUM sum = SUM(0);
    [[unroll]] for (uint k = 0u; k < K; k += PER_VECTOR) sum +=
        product_of_vector(left.x + row * left.y, right, column, k);
    sums.own[i / 4u][i % 4u] += sum;
  }
  return sums;
}
#define MULTIPLY(left, right, sums) sums = multiplied(left, right, sums)

void store_sums(Sums sums, uint place, uint stride) {
  for (uint i = 0u; i < OWN; ++i) {
    const uint row = own_element(i) / N, column = own_element(i) % N;
    stage[place + row * stride + column / 4u][column % 4u] = BITS_OF(sums.own[i / 4u][i % 4u]);
  }
}
#define STORE_SUMS(sums, place, stride) store_sums(sums, place, stride)

#else
#define OWN_SUBGROUP gl_SubgroupID
#define OWN_LANE gl_SubgroupInvocationID
#ifdef INT8
#define LEFT icoopmatNV<8, gl_ScopeSubgroup, M, K>
#define RIGHT icoopmatNV<8, gl_ScopeSubgroup, K, N>
#define SUMS icoopmatNV<32, gl_ScopeSubgroup, M, N>
#else
#define LEFT fcoopmatNV<16, gl_ScopeSubgroup, M, K>
#define RIGHT fcoopmatNV<16, gl_ScopeSubgroup, K, N>
#define SUMS fcoopmatNV<32, gl_ScopeSubgroup, M, N>
#endif
#define NO_SUMS SUMS(0)
#define LOAD_LEFT(to, place, stride) coopMatLoadNV(to, stage, place, stride, false)
#define LOAD_RIGHT(to, place, stride, is_columns) coopMatLoadNV(to, stage, place, stride, is_columns)
#define MULTIPLY(left, right, sums) sums = coopMatMulAddNV(left, right, sums)
#define STORE_SUMS(sums, place, stride) coopMatStoreNV(sums, stage, place, stride, false)
#endif

#endif
