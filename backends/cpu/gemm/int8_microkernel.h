// The innermost loops of quantized GEMMs, on processors with has_int8_dot(). Weights are bytes: for x86 the
// value plus 128, so that they are the unsigned factor of the instruction and activations stay as they lie;
// ARM's instruction takes two signed factors.
#pragma once

#include <cstdint>

namespace nnrt::cpu {

#if defined(__aarch64__)
inline constexpr int kInt8BlockRows = 4;  // times four registers of sums, for each vector of x86
inline constexpr int32_t kByteOfZero = 0;
#else
inline constexpr int kInt8BlockRows = 8;
inline constexpr int32_t kByteOfZero = 128;  // the byte of the weight 0
#endif
inline constexpr int kInt32Lanes = 16;                     // sums in a vector
inline constexpr int kInt8PanelColumns = 2 * kInt32Lanes;  // columns of a panel
inline constexpr int kDotDepth = 4;            // values that an instruction multiplies and adds at once
inline constexpr int kDepthwiseChannels = 64;  // channels of a block

// From the sum s of products to a quantized value of the output (R12), for each column:
// value = zero_point + round((s + offset - weight_zero * sum of the row's values) * scale), in [low, high].
struct Int8Epilogue {
  const int32_t* offset = nullptr;
  const float* scale = nullptr;
  const int32_t* weight_zero = nullptr;  // with kByteOfZero
  // The same scales exactly, for the few results that lie so near a tie that a float may err:
  // exact_factor * exact_scale[exact_scales == 1 ? 0 : channel].
  const double* exact_scale = nullptr;
  int64_t exact_scales = 1;
  double exact_factor = 1;
  bool interleaved = false;   // the terms are those of depthwise_int8()
  bool ties_to_even = false;  // then products with `scale` are rounded as FLOAT32 has them
  int32_t zero_point = 0;
  int8_t low = -128, high = 127;
};

// So many rows, by the begin of each of `taps` parts of each: tap by tap, `tap_rows` pointers each.
struct Int8Rows {
  const int8_t* const* parts = nullptr;
  int64_t tap_rows = 0;
  int64_t taps = 1;
  int64_t tap_values = 0;  // in each part; so many steps of kDotDepth are read as they take
  int count = 0;           // rows, up to kInt8BlockRows; the pointers of others are not read
};

// sums[r] = the sum of row r's values.
void sum_int8_rows(const Int8Rows& rows, int32_t* sums);

// Computes `columns` output channels, up to kInt8PanelColumns, from `channel` on (which counts in `terms`);
// row r goes to to + r * stride. `panel` is [taps][steps][lanes][kDotDepth], lanes being those of one or two
// vectors. INT32 takes the sums, of which only the scales and bounds are left out.
void multiply_int8(const Int8Rows& rows, const int32_t* row_sums, const uint8_t* panel,
                   const Int8Epilogue& terms, int64_t channel, int columns, int8_t* to, int64_t stride);
void multiply_int8(const Int8Rows& rows, const int32_t* row_sums, const uint8_t* panel,
                   const Int8Epilogue& terms, int64_t channel, int columns, int32_t* to, int64_t stride);

// One output pixel of a depthwise convolution: kDepthwiseChannels channels from `channel` on, of which only
// `channels` exist. `taps` are `quads` times four pointers to the first channel of an input pixel each;
// `weight` is [quads][4 vectors][64], interleaved as in depthwise_weight_offset().
void depthwise_int8(const int8_t* const* taps, int64_t quads, const uint8_t* weight,
                    const Int8Epilogue& terms, int64_t channel, int64_t channels, int8_t* to);

// The offset of the weight of a channel (of a block) and a tap (of four) in the 256 bytes of a quad.
inline int depthwise_weight_offset(int channel, int tap) {
  const int lane = channel / 16, vector = channel % 16 / 4;
  return vector * 64 + lane * 16 + channel % 4 * 4 + tap;
}

}  // namespace nnrt::cpu
