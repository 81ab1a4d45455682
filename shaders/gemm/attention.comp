// ATTENTION: a workgroup computes ROWS queries of one key head, tile of keys after tile. In the first half of
// a tile an invocation has some keys, in the second one part of the values, and a share of the keys if there
// are fewer parts than invocations. Variant VEC4 is for queries and values whose lengths are multiples of 4.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "base/softmax_power.glsl"
#include "base/vec4_access.glsl"

// As MaskKind of backends/vulkan/lower/gemm/lower_attention.cpp.
const uint NO_MASK = 0u;
const uint NUMBERS = 1u;
const uint FLAGS = 2u;

layout(constant_id = 3) const uint ROWS = 4u;  // or 1
layout(constant_id = 4) const uint MASK = NO_MASK;
layout(constant_id = 5) const bool CAUSAL = false;
layout(constant_id = 6) const bool KEEPS_NAN = false;  // rows that see nothing are NaN, not zeros

layout(push_constant) uniform Push {
  uint count;                // of workgroups
  uint rows, queries, keys;  // rows: the queries of all heads of a group
  uint size, parts;          // of a query and of a value, in PACKs
  uint key_heads, group;     // query heads for each key head
  uint blocks, part_blocks;  // of a matrix: of ROWS rows, and of as many parts as there are invocations
  int shift;                 // query i sees keys up to i + shift
  float scale;
  uint mask_strides[4];  // by batch, head, query and key
};

READS_AS(0, query, PACK);
READS_AS(1, key, PACK);
READS_AS(2, value, PACK);
READS_AS(3, mask, float);
READS(4, flags);
WRITES_AS(5, y, PACK);

const uint kInvocations = 32u;
const uint kKeysOfOne = 4u;
const uint kTile = kInvocations * kKeysOfOne;

shared vec4 weights[kTile];          // of each key for the four rows
shared vec4 exchange[kInvocations];  // their largest products, in the end their totals
shared PACK sums[4u * kInvocations];

float product(float a, float b) { return a * b; }
float product(vec4 a, vec4 b) { return dot(a, b); }

// Rows behind the last one are the last one once more.
uvec4 rows_from(uint first) {
  return min(uvec4(first, first + 1u, first + 2u, first + 3u), uvec4(rows - 1u));
}

float masked(float v, uint row, uint matrix, uint at_key) {
  const uint head = matrix % key_heads * group + row / queries;
  const uint at = matrix / key_heads * mask_strides[0] + head * mask_strides[1] +
                  row % queries * mask_strides[2] + at_key * mask_strides[3];
  if (MASK == NUMBERS) return v + mask.v[at];
  return unsigned_byte(flags.w[at / 4u], at % 4u) != 0 ? v : -INFINITE;
}

// How many keys each row sees, from the first one on.
ivec4 seen_by(uvec4 row) {
  if (!CAUSAL) return ivec4(int(keys));
  return clamp(ivec4(row % queries) + shift + 1, ivec4(0), ivec4(int(keys)));
}

vec4 products(uvec4 row, ivec4 seen, uint matrix, uint at_key) {
  const uvec4 from = (matrix * rows + row) * size;
  const uint key_from = (matrix * keys + at_key) * size;
  vec4 v = vec4(0.0);
  for (uint k = 0u; k < size; ++k) {
    const PACK of_key = key.v[key_from + k];
    v.x += product(query.v[from.x + k], of_key);
    if (ROWS > 1u) {
      v.y += product(query.v[from.y + k], of_key);
      v.z += product(query.v[from.z + k], of_key);
      v.w += product(query.v[from.w + k], of_key);
    }
  }
  v *= scale;
  if (MASK != NO_MASK) {
    v.x = masked(v.x, row.x, matrix, at_key);
    if (ROWS > 1u) {
      v.y = masked(v.y, row.y, matrix, at_key);
      v.z = masked(v.z, row.z, matrix, at_key);
      v.w = masked(v.w, row.w, matrix, at_key);
    }
  }
  return mix(v, vec4(-INFINITE), greaterThanEqual(ivec4(int(at_key)), seen));
}

PACK result(PACK sum, float total) {
  if (total == 0.0) return PACK(KEEPS_NAN ? NAN : 0.0);
  return sum / total;
}

void main() {
  const uint work = global_word() / kInvocations;
  const uint own = gl_LocalInvocationIndex;
  if (work >= count) return;
  const uint part_block = work % part_blocks;
  const uint block = work / part_blocks % blocks;
  const uint matrix = work / part_blocks / blocks;
  const uint first_row = block * ROWS;
  const uvec4 row = rows_from(first_row);
  const ivec4 seen = seen_by(row);
  const uint end = uint(max(max(seen.x, seen.y), max(seen.z, seen.w)));

  const uint own_parts = min(parts - part_block * kInvocations, kInvocations);
  const uint shares = kInvocations / own_parts;
  const uint share = own / own_parts;
  const uint part = part_block * kInvocations + own % own_parts;

  vec4 largest = vec4(-INFINITE), total = vec4(0.0);
  PACK a = PACK(0.0), b = PACK(0.0), c = PACK(0.0), d = PACK(0.0);
  for (uint tile = 0u; tile < end; tile += kTile) {
    vec4 own_products[kKeysOfOne];
    vec4 own_largest = vec4(-INFINITE);
    for (uint n = 0u; n < kKeysOfOne; ++n) {
      const uint at_key = tile + n * kInvocations + own;
      own_products[n] = vec4(-INFINITE);
      if (at_key < end) own_products[n] = products(row, seen, matrix, at_key);
      own_largest = mix(own_largest, own_products[n], greaterThan(own_products[n], own_largest));
    }
    exchange[own] = own_largest;
    barrier();
    const vec4 before = largest;
    for (uint i = 0u; i < kInvocations; ++i)
      largest = mix(largest, exchange[i], greaterThan(exchange[i], largest));
    // Nothing but minus infinity: the exponentials are zeros, and NaN stays.
    const vec4 offset = mix(largest, vec4(0.0), equal(largest, vec4(-INFINITE)));
    for (uint n = 0u; n < kKeysOfOne; ++n) weights[n * kInvocations + own] = power(own_products[n] - offset);
    barrier();
    const vec4 factor = power(before - offset);
    total *= factor;
    a *= factor.x;
    b *= factor.y;
    c *= factor.z;
    d *= factor.w;
    if (share >= shares) continue;
    const uint tile_keys = min(kTile, end - tile);
    uint from = (matrix * keys + tile + share) * parts + part;
    for (uint k = share; k < tile_keys; k += shares, from += shares * parts) {
      const vec4 weight = weights[k];
      const PACK v = value.v[from];
      total += weight;
      a += weight.x * v;
      if (ROWS > 1u) {
        b += weight.y * v;
        c += weight.z * v;
        d += weight.w * v;
      }
    }
  }
  exchange[own] = total;
  sums[own] = a;
  sums[kInvocations + own] = b;
  sums[2u * kInvocations + own] = c;
  sums[3u * kInvocations + own] = d;
  barrier();
  if (share > 0u) return;
  for (uint other = own + own_parts; other < shares * own_parts; other += own_parts) {
    total += exchange[other];
    a += sums[other];
    b += sums[kInvocations + other];
    c += sums[2u * kInvocations + other];
    d += sums[3u * kInvocations + other];
  }
  const uint at = (matrix * rows + first_row) * parts + part;
  y.v[at] = result(a, total.x);
  if (ROWS == 1u) return;
  if (first_row + 1u < rows) y.v[at + parts] = result(b, total.y);
  if (first_row + 2u < rows) y.v[at + 2u * parts] = result(c, total.z);
  if (first_row + 3u < rows) y.v[at + 3u * parts] = result(d, total.w);
}
