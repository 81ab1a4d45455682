// Strided indexing over shapes in push constants. Strides are in elements and may be negative, so offsets are
// int; refused beyond 2^31 elements.
#ifndef NNRT_INDEX
#define NNRT_INDEX

// For `linear`, an index in C order over dims[0 .. rank): adds to `offset` the place it has with `strides`.
// A macro, for arrays in push constants would be copied to be passed.
#define ADD_STRIDED(offset, linear, rank, dims, strides)                           \
  {                                                                                \
    uint strided_rest = (linear);                                                  \
    for (int d = int(rank) - 1; d > 0; --d) {                                      \
      const uint strided_quotient = strided_rest / (dims)[d];                      \
      (offset) += int(strided_rest - strided_quotient * (dims)[d]) * (strides)[d]; \
      strided_rest = strided_quotient;                                             \
    }                                                                              \
    (offset) += int(strided_rest) * (strides)[0];                                  \
  }

#endif
