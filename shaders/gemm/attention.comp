// ATTENTION: a workgroup computes ROWS queries of one key head, one tile of keys after the other. In the
// first half of a tile, invocations are assigned to keys; in the second half to slices of the values, and
// also to a share of the keys if there are fewer slices than invocations. Variant VEC4: query and value sizes
// are multiples of 4.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "gemm/attention_operands.glsl"

WRITES_AS(5, y, PACK);

const uint kInvocations = 32u;
const uint kKeysOfOne = 4u;
const uint kTile = kInvocations * kKeysOfOne;

shared vec4 weights[kTile];          // by key, for the four rows
shared vec4 exchange[kInvocations];  // maximum scores, finally the totals
shared PACK sums[4u * kInvocations];
shared uint shown;
#define SHOWN_END shown
#include "gemm/attention_end.glsl"

float product(float a, float b) { return a * b; }
float product(vec4 a, vec4 b) { return dot(a, b); }

// The scores of one key for the rows starting at `from`.
vec4 products(uvec4 row, uvec4 from, ivec4 seen, uint matrix, uint at_key) {
  const uint key_from = LINE_AT(key_strides, matrix, at_key);
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
  const uvec4 row = rows_from(first_row), query_at = ROWS_AT(query_strides, matrix, row);
  const ivec4 seen = seen_by(row);
  const uint seen_end = uint(max(max(seen.x, seen.y), max(seen.z, seen.w)));
  const uint end = shown_end(first_row, matrix, 0u, seen_end, kInvocations);

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
      if (at_key < end) own_products[n] = products(row, query_at, seen, matrix, at_key);
      own_largest = mix(own_largest, own_products[n], greaterThan(own_products[n], own_largest));
    }
    exchange[own] = own_largest;
    barrier();
    const vec4 before = largest;
    for (uint i = 0u; i < kInvocations; ++i)
      largest = mix(largest, exchange[i], greaterThan(exchange[i], largest));
    const vec4 offset = offset_of(largest);
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
    uint from = LINE_AT(value_strides, matrix, tile + share) + part;
    for (uint k = share; k < tile_keys; k += shares, from += shares * value_strides[2]) {
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
  const uvec4 at = ROWS_AT(result_strides, matrix, row) + part;
  y.v[at.x] = result(a, total.x);
  if (ROWS == 1u) return;
  if (first_row + 1u < rows) y.v[at.y] = result(b, total.y);
  if (first_row + 2u < rows) y.v[at.z] = result(c, total.z);
  if (first_row + 3u < rows) y.v[at.w] = result(d, total.w);
}
