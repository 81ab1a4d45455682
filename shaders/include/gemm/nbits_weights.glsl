// The weights of MATMUL_NBITS: rows of 4- or 8-bit elements, with a scale and a zero point per block. The
// kernel declares the push constants and the buffers weight, scales and zero_points.
#ifndef NNRT_NBITS_WEIGHTS
#define NNRT_NBITS_WEIGHTS

int zero_point_of(uint index) { return unsigned_byte(zero_points.w[index / 4u], index % 4u); }

// The stored element k of a row.
int stored_at(uint row, uint k) {
  const uint at = row * row_bytes + (BITS == 8u ? k : k / 2u);
  const int byte = unsigned_byte(weight.w[at / 4u], at % 4u);
  return BITS == 8u ? byte : byte >> k % 2u * 4u & 15;
}

#endif
