// Index rows that select slices (R20), INT32 or INT64: each has `width` indices into the leading dimensions
// of a tensor.
#ifndef NNRT_INDEX_ROWS
#define NNRT_INDEX_ROWS
#include "base/element_bits.glsl"
#include "base/words.glsl"

layout(constant_id = 4) const uint INDEX_WORDS = 1;
layout(constant_id = 5) const bool FROM_END = false;  // negative ones count from the end

READS(0, indices);

// Index i; -1 if outside [0, length).
int index_of(uint i, int length) {
  int index = int(indices.w[i * INDEX_WORDS]);
  if (INDEX_WORDS == 2u && int(indices.w[2u * i + 1u]) != index >> 31) return -1;
  if (FROM_END && index < 0) index += length;
  return index >= 0 && index < length ? index : -1;
}

// The slice that a row selects; -1 if one of its indices is out of range.
#define SLICE_OF_ROW(row, width, dims, place)                 \
  int place = 0;                                              \
  for (uint k = 0u; k < (width) && place >= 0; ++k) {         \
    const int index = index_of((row) * (width) + k, dims[k]); \
    place = index < 0 ? -1 : place * dims[k] + index;         \
  }

#endif
