// Zero points in INT8 products: sum (a - za) (b - zb) = sum a b - zb sum a - za sum b + za zb. Raw values are
// multiplied, and the row and column sums of a tile are computed alongside if the zero points need them.
// VECTORS adjacent invocations load a row.
#ifndef NNRT_BYTE_SUMS
#define NNRT_BYTE_SUMS

layout(constant_id = 4) const bool SUMS_ROWS = true;     // some columns have a zero point
layout(constant_id = 6) const bool SUMS_COLUMNS = true;  // rows have one, and b is not constant

int left_bytes[EACH], right_bytes[EACH];
uint byte_sums_at;

// Adds bytes as unsigned in two 16-bit lanes of a word; each of the sixteen is 128 too large.
int sum_of_bytes(uvec4 vector) {
  const uvec4 bytes = vector ^ 0x80808080u;
  const uvec4 pairs = (bytes & 0x00ff00ffu) + (bytes >> 8u & 0x00ff00ffu);
  const uint both = pairs.x + pairs.y + pairs.z + pairs.w;
  return int((both & 0xffffu) + (both >> 16u)) - 16 * 128;
}

void forget_bytes() { UNROLL for (uint i = 0u; i < EACH; ++i) left_bytes[i] = right_bytes[i] = 0; }

void add_bytes(uint i) {
  if (SUMS_ROWS) left_bytes[i] += sum_of_bytes(next_left[i]);
  if (SUMS_COLUMNS) right_bytes[i] += sum_of_bytes(next_right[i]);
}

// Stores the sums in the stage from `at` on, two vectors per row. Readers need a barrier.
void put_byte_sums(uint at) {
  byte_sums_at = at;
  UNROLL for (uint i = 0u; i < EACH; ++i) {
    const uint nth = gl_LocalInvocationID.x + i * GROUP;
    if (SUMS_ROWS) put_word(at + nth / 4u, nth % 4u, uint(left_bytes[i]));
    if (SUMS_COLUMNS) put_word(at + 2u * TILE + nth / 4u, nth % 4u, uint(right_bytes[i]));
  }
}

int line_sum(uint line) {
  const ivec4 sums = ivec4(STAGED(byte_sums_at + 2u * line) + STAGED(byte_sums_at + 2u * line + 1u));
  return sums.x + sums.y + sums.z + sums.w;
}
int sum_of_row(uint row) { return SUMS_ROWS ? line_sum(row) : 0; }
ivec4 sums_of_columns(uint column) {
  if (!SUMS_COLUMNS) return ivec4(0);
  const uint line = TILE + column;
  return ivec4(line_sum(line), line_sum(line + 1u), line_sum(line + 2u), line_sum(line + 3u));
}

#endif
