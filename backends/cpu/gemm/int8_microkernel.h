// Quantized GEMM microkernels, which need has_int8_dot(). Weights are stored as bytes: on x86 value + 128,
// since the instruction takes one unsigned factor and activations are used in place; Arm's takes two signed
// factors. With symmetric weights (zero point 0), all columns share the correction by a row's sum, except in
// panels of one vector: there weights are stored unchanged, and activations get the offset of 128 in
// registers, which takes as many issue slots as the products of one vector.
#pragma once

#include "backends/cpu/int8/int8_formula.h"

#include <cstdint>

namespace nnrt::cpu {

#if defined(__aarch64__)
inline constexpr int kInt8BlockRows = 4;  // times four accumulator registers per vector on x86
inline constexpr int32_t kByteOfZero = 0, kActivationOfZero = 0;
#else
inline constexpr int kInt8BlockRows = 8;
inline constexpr int32_t kByteOfZero = 128;        // the byte of weight 0
inline constexpr int32_t kActivationOfZero = 128;  // of activation 0, as the unsigned factor
#endif
inline constexpr int kInt32Lanes = 16;                     // sums per vector
inline constexpr int kInt8PanelColumns = 2 * kInt32Lanes;  // columns of a panel
inline constexpr int kDotDepth = 4;            // values an instruction multiplies and adds at once
inline constexpr int kDepthwiseChannels = 64;  // channels of a block

struct SumScaling;

// A residual ADD after the product: the quantized results are operand a of `sum`, `other` is b.
struct Int8Residual {
  Int8Sum sum;
  const int8_t* other;
  const int8_t* to;  // the output; `other` has the same layout and may be the same memory
};

// Requantizes (R12) a sum of products s, per column:
struct Int8Epilogue {
  const int32_t* offset = nullptr;
  const float* scale = nullptr;
  const int32_t* weight_zero = nullptr;  // includes kByteOfZero
  // The exact scale, for the few results too close to a tie for float: exact_factor *
  // exact_scale[exact_scales == 1 ? 0 : channel].
  const double* exact_scale = nullptr;
  int64_t exact_scales = 1;
  double exact_factor = 1;
  bool symmetric = false;     // the weights' zero points are 0
  bool interleaved = false;   // terms in depthwise_int8() order
  bool ties_to_even = false;  // products with `scale` are rounded to FLOAT32
  int32_t zero_point = 0;
  int8_t low = -128, high = 127;
  const Int8Residual* residual = nullptr;  // for symmetric weights on x86
  const SumScaling* scaling = nullptr;     // of raw sums
};

// Blocks of up to kInt8BlockRows rows, as pointers to the `taps` parts of each: tap by tap, `tap_rows`
// pointers each. The pointers of a block follow those of the previous one.
struct Int8Rows {
  const int8_t* const* parts = nullptr;
  int64_t tap_rows = 0;
  int64_t taps = 1;
  int64_t tap_values = 0;  // values per part; reads are rounded up to a multiple of kDotDepth
  int count = 0;           // rows per block, up to kInt8BlockRows; pointers of other rows are not read
  int64_t blocks = 1;
  const uint8_t* next_panel = nullptr;  // to prefetch, or null
};

// sums[r] = sum of row r's values, for one block; not needed for symmetric weights on Arm, or in panels of
// one vector.
void sum_int8_rows(const Int8Rows& rows, int32_t* sums);

// Computes `columns` (up to kInt8PanelColumns) output channels from `channel` on (an index into `terms`); row
// r goes to to + r * stride. `panel` is [taps][steps][lanes][kDotDepth], with one or two vectors of lanes.
// The INT32 overload stores the sums with their offsets, without scaling and clamping; with terms.scaling, it
// stores their FLOAT32 results.
void multiply_int8(const Int8Rows& rows, const int32_t* row_sums, const uint8_t* panel,
                   const Int8Epilogue& terms, int64_t channel, int columns, int8_t* to, int64_t stride);
void multiply_int8(const Int8Rows& rows, const int32_t* row_sums, const uint8_t* panel,
                   const Int8Epilogue& terms, int64_t channel, int columns, int32_t* to, int64_t stride);

// One output pixel of a depthwise convolution: a block of kDepthwiseChannels channels from `channel` on, of
// which `channels` are valid. `taps` holds 4 * `quads` pointers to the first channel of an input pixel;
// `weight` is [quads][4 vectors][64], interleaved as in depthwise_weight_offset().
void depthwise_int8(const int8_t* const* taps, int64_t quads, const uint8_t* weight,
                    const Int8Epilogue& terms, int64_t channel, int64_t channels, int8_t* to);

// Up to 4 output pixels of a depthwise convolution with symmetric weights, by columns: a column of vertical
// taps is interleaved once for all pixels that it contributes to.
struct DepthwisePixels {
  // [column][kernel height]: pointers to the first channel of each input pixel under the kernels.
  const int8_t* const* columns;
  const uint8_t* weight;  // [blocks of channels][kernel width][quads of vertical taps][4 vectors][64]
  int64_t channels;
  int8_t* to;
  int64_t step;  // bytes from one pixel to the next
};
using DepthwiseColumns = void (*)(const DepthwisePixels& pixels, const Int8Epilogue& terms);
inline constexpr int kMostDepthwisePixels = 4;
// The kernel for this many pixels, null if there is none.
DepthwiseColumns depthwise_columns(int64_t kernel_height, int64_t kernel_width, int64_t stride,
                                   int64_t pixels);

// Offset of the weight of a channel (in its block) and a tap (in its quad) within the quad's 256 bytes.
inline int depthwise_weight_offset(int channel, int tap) {
  const int lane = channel / 16, vector = channel % 16 / 4;
  return vector * 64 + lane * 16 + channel % 4 * 4 + tap;
}

}  // namespace nnrt::cpu
