// ATTENTION with few rows without shared memory. CLUSTER adjacent invocations of a subgroup have ROWS rows (1
// or 4) and process KEYS keys each at a time. In the first half of such a tile, each invocation multiplies
// its own keys; in the second half each has VECTORS vectors of all values, and gets the weights of the others
// by shuffles. In variant SPLIT several clusters share the keys, and attention_merge.comp merges their
// results.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "gemm/attention_end.glsl"
#include "gemm/attention_split.glsl"

layout(constant_id = 7) const uint CLUSTER = 4u;  // a power of two
layout(constant_id = 8) const uint VECTORS = 1u;

const uint KEYS = 2u, MAX_VECTORS = 2u;

uint own_lane() { return gl_SubgroupInvocationID % CLUSTER; }
uint lane_of(uint i) { return gl_SubgroupInvocationID - own_lane() + i; }

// Merges the values of the invocations of a cluster.
#define MERGE_LANES(name, type, merge)                                     \
  type name(type own) {                                                    \
    for (uint apart = CLUSTER / 2u; apart > 0u; apart /= 2u)               \
      own = merge(own, subgroupShuffle(own, lane_of(own_lane() ^ apart))); \
    return own;                                                            \
  }
#define PLUS(a, b) ((a) + (b))
MERGE_LANES(largest_of, vec4, larger)
MERGE_LANES(last_of, uint, max)
MERGE_LANES(total_of, vec4, PLUS)

#ifdef VEC4
#define EXISTING_VEC4_AT(x, at, length, i) (x).v[(at) + (i)]
#else
#define EXISTING_VEC4_AT(x, at, length, i) VEC4_AT(x, at, length, i)
#endif

// The scores of the invocation's keys: element i of each is that of row i.
vec4[KEYS] multiply_keys(uvec4 query_at, uint matrix, uint tile) {
  uint lines[KEYS];
  vec4 scores[KEYS];
  [[unroll]] for (uint n = 0u; n < KEYS; ++n) {
    lines[n] = LINE_AT(key_strides, matrix, min(tile + n * CLUSTER + own_lane(), keys - 1u));
    scores[n] = vec4(0.0);
  }
  // If this is unrolled, compilers hoist all loads, and some GPUs run out of registers.
  [[dont_unroll]] for (uint k = 0u; k < VEC4S(size); ++k) {
    vec4 of_key[KEYS];
    [[unroll]] for (uint n = 0u; n < KEYS; ++n) of_key[n] = EXISTING_VEC4_AT(key, lines[n], size, k);
    [[unroll]] for (uint i = 0u; i < ROWS; ++i) {
      const vec4 q = EXISTING_VEC4_AT(query, query_at[i], size, k);
      [[unroll]] for (uint n = 0u; n < KEYS; ++n) scores[n][i] += dot(q, of_key[n]);
    }
  }
  return scores;
}

void main() {
  // Not by gl_SubgroupSize: Intel's drivers report 32 and may run narrower subgroups.
  const uint of_group = subgroupShuffle(gl_LocalInvocationIndex, lane_of(0u)) / CLUSTER;
  uint work = (global_word() - gl_LocalInvocationIndex) / CLUSTER + of_group;
  if (work >= count) return;
  const uint first_part = work % part_blocks * VECTORS * CLUSTER + own_lane();
  work /= part_blocks;
  const uint split = work % splits;
  work /= splits;
  const uint first_row = work % blocks * ROWS;
  const uint matrix = work / blocks;
  const uvec4 row = rows_from(first_row), query_at = ROWS_AT(query_strides, matrix, row);
  const ivec4 seen = seen_by(row);
  const uint begin = split * split_keys;
  uint end = min(begin + split_keys, uint(max(max(seen.x, seen.y), max(seen.z, seen.w))));
  if (MASK == FLAGS) {
    if (mask_strides[3] == 1u)
      end = last_of(own_shown_end(first_row, matrix, begin, end, own_lane(), CLUSTER));
  }

  vec4 largest = vec4(-INFINITE), total = vec4(0.0);
  vec4 sums[4u * MAX_VECTORS];  // row i, vector j: sums[i * MAX_VECTORS + j]
  [[unroll]] for (uint i = 0u; i < 4u * MAX_VECTORS; ++i) sums[i] = vec4(0.0);
  for (uint tile = begin; tile < end; tile += KEYS * CLUSTER) {
    vec4 weights[KEYS] = multiply_keys(query_at, matrix, tile);
    vec4 own_largest = vec4(-INFINITE);
    [[unroll]] for (uint n = 0u; n < KEYS; ++n) {
      const uint at_key = tile + n * CLUSTER + own_lane();
      weights[n] = mask_scores(weights[n] * scale, row, seen, matrix, at_key, end);
      own_largest = larger(own_largest, weights[n]);
    }
    const vec4 before = largest;
    largest = larger(largest, largest_of(own_largest));
    const vec4 offset = offset_of(largest);
    const vec4 factor = power(before - offset);
    total *= factor;
    [[unroll]] for (uint n = 0u; n < KEYS; ++n) {
      weights[n] = power(weights[n] - offset);
      total += weights[n];
    }
    [[unroll]] for (uint i = 0u; i < ROWS; ++i) {
      [[unroll]] for (uint j = 0u; j < VECTORS; ++j) sums[i * MAX_VECTORS + j] *= factor[i];
    }
    [[dont_unroll]] for (uint k = 0u; k < CLUSTER; ++k) {
      [[unroll]] for (uint n = 0u; n < KEYS; ++n) {
        const vec4 weight = subgroupShuffle(weights[n], lane_of(k));
        const uint line = LINE_AT(value_strides, matrix, min(tile + n * CLUSTER + k, end - 1u));
        [[unroll]] for (uint j = 0u; j < VECTORS; ++j) {
          const vec4 v = VEC4_AT(value, line, parts, first_part + j * CLUSTER);
          [[unroll]] for (uint i = 0u; i < ROWS; ++i) sums[i * MAX_VECTORS + j] += weight[i] * v;
        }
      }
    }
  }
  total = total_of(total);
  [[unroll]] for (uint i = 0u; i < ROWS; ++i) {
    [[unroll]] for (uint j = 0u; j < VECTORS; ++j) {
      const uint part = first_part + j * CLUSTER;
      const bool exists = first_row + i < rows && part < VEC4S(parts);
      if (exists) store(split, matrix, row[i], part, sums[i * MAX_VECTORS + j], largest[i], total[i]);
    }
  }
}
