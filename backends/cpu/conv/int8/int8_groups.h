// Grouped INT8 convolutions of few channels per group. Output channels of several groups share a vector of
// sums: each lane's factors are permuted from the input channels of its group. Needs has_int8_dot() on x86.
#pragma once

#include "backends/cpu/gemm/int8_microkernel.h"

namespace nnrt::cpu {

// Pixels times the weights of one vector of output channels.
struct Int8GroupRows {
  const int8_t* const* parts;  // [taps][tap_rows]: all channels of an input pixel
  int64_t taps, tap_rows, count;
  int64_t channel, channels;  // input channels of the vector's groups: a multiple of kDotDepth, up to 64
  int64_t steps;              // quads of channels per group
  const int32_t* first_quad;  // of each lane's group, among those of the vector
  const uint8_t* weights;     // [taps][steps][kInt32Lanes][kDotDepth]
};

// `columns` output channels from `channel` on, of symmetric weights; row r goes to to + r * stride.
void multiply_int8_groups(Int8GroupRows rows, const Int8Epilogue& terms, int64_t channel, int columns,
                          int8_t* to, int64_t stride);

}  // namespace nnrt::cpu
