// int8_microkernel.h with Arm's SDOT; both factors are signed.
#include "backends/cpu/gemm/int8_epilogue.h"
#include "backends/cpu/simd/simd.h"

#if defined(NNRT_ARM_DOT)
#include <arm_neon.h>

#include <algorithm>
#include <type_traits>

namespace nnrt::cpu {
namespace {

#define NNRT_TARGET_DOT gnu::target("arch=armv8.2-a+dotprod")

constexpr int kLanes = 4;                       // sums per register
constexpr int kVectors = kInt32Lanes / kLanes;  // registers per x86 vector
constexpr int kStepBytes = kInt32Lanes * kDotDepth;

struct Bounds {
  float32x4_t low, high;  // without the zero point
};
[[gnu::always_inline]] inline Bounds bounds_of(const Int8Epilogue& terms) {
  return {vdupq_n_f32(float(terms.low - terms.zero_point)),
          vdupq_n_f32(float(terms.high - terms.zero_point))};
}

// Sums with offsets -> quantized values, 32 bits each. `columns` of the four are valid.
[[gnu::always_inline]] inline int32x4_t to_quantized(int32x4_t sums, float32x4_t scale, int64_t columns,
                                                     const Bounds& bounds, const Int8Epilogue& terms,
                                                     int64_t channel) {
  const float32x4_t clamped =
      vminq_f32(vmaxq_f32(vmulq_f32(vcvtq_f32_s32(sums), scale), bounds.low), bounds.high);
  const float32x4_t whole = vrndnq_f32(clamped);
  const uint32x4_t unsure = vcgtq_f32(vabdq_f32(clamped, whole), vdupq_n_f32(kSureDistance));
  int32x4_t quantized = vaddq_s32(vcvtq_s32_f32(whole), vdupq_n_s32(terms.zero_point));
  if (__builtin_expect(vmaxvq_u32(unsure) == 0, 1)) return quantized;
  alignas(16) int32_t from[kLanes], to[kLanes];
  alignas(16) uint32_t near_tie[kLanes];
  vst1q_s32(from, sums);
  vst1q_s32(to, quantized);
  vst1q_u32(near_tie, unsure);
  for (int i = 0; i < std::min<int64_t>(kLanes, columns); ++i)
    if (near_tie[i] != 0) to[i] = quantize_exactly(from[i], terms, channel + i);
  return vld1q_s32(to);
}

[[gnu::always_inline]] inline int8x16_t narrowed(const int32x4_t (&values)[kVectors]) {
  const int16x8_t low = vcombine_s16(vqmovn_s32(values[0]), vqmovn_s32(values[1]));
  const int16x8_t high = vcombine_s16(vqmovn_s32(values[2]), vqmovn_s32(values[3]));
  return vcombine_s8(vqmovn_s16(low), vqmovn_s16(high));
}

[[gnu::always_inline]] inline void store_columns(int8x16_t values, int64_t columns, int8_t* to) {
  if (columns >= kInt32Lanes) return vst1q_s8(to, values);
  alignas(16) int8_t some[kInt32Lanes];
  vst1q_s8(some, values);
  std::copy_n(some, columns, to);
}

// Stores four sums, of which `columns` are valid.
[[gnu::always_inline]] inline void store_sums(int32x4_t sums, int64_t columns, int32_t* to) {
  if (columns >= kLanes) return vst1q_s32(to, sums);
  alignas(16) int32_t some[kLanes];
  vst1q_s32(some, sums);
  std::copy_n(some, columns, to);
}

// Stores sums as they are, or with terms.scaling as floats.
template <int Rows>
[[gnu::always_inline]] inline void store_raw(const int32x4_t (&sums)[Rows][kVectors],
                                             const Int8Epilogue& terms, int64_t channel, int columns,
                                             int32_t* to, int64_t stride) {
  for (int v = 0, first = 0; first < columns; ++v, first += kLanes) {
    ColumnTerms<16> of_columns;
    if (terms.scaling != nullptr) terms_at(*terms.scaling, channel + first, columns - first, of_columns);
    for (int r = 0; r < Rows; ++r) {
      int32x4_t stored = sums[r][v];
      if (terms.scaling != nullptr) {
        Vector<16> scaled;
        scale(of_columns, __builtin_bit_cast(Elements<16, uint32_t>, stored), scaled);
        asm("" : "+w"(scaled));  // rounded, although this file's additions are fused
        scaled += of_columns.addend;
        stored = __builtin_bit_cast(int32x4_t, scaled);
      }
      store_sums(stored, columns - first, to + r * stride + first);
    }
  }
}

// Terms of up to four channels.
struct Terms {
  int32x4_t offset, zero;
  float32x4_t scale;
};
[[gnu::always_inline]] inline Terms terms_of(const Int8Epilogue& terms, int64_t channel, int64_t columns) {
  if (columns >= kLanes)
    return {vld1q_s32(terms.offset + channel), vld1q_s32(terms.weight_zero + channel),
            vld1q_f32(terms.scale + channel)};
  alignas(16) int32_t offset[kLanes] = {}, zero[kLanes] = {};
  alignas(16) float scale[kLanes] = {};
  for (int64_t i = 0; i < columns; ++i) {
    offset[i] = terms.offset[channel + i];
    zero[i] = terms.weight_zero[channel + i];
    scale[i] = terms.scale[channel + i];
  }
  return {vld1q_s32(offset), vld1q_s32(zero), vld1q_f32(scale)};
}

// Adds the step whose four values are word `Word` of each row's register.
template <int Rows, int Word>
[[NNRT_TARGET_DOT, gnu::always_inline]] inline void add_step(const int8x16_t (&row)[Rows],
                                                             const int8_t* panel,
                                                             int32x4_t (&sums)[Rows][kVectors]) {
  // Prevents the compiler from loading the weights of all steps first and spilling sums.
  asm volatile("" : "+r"(panel));
  int8x16_t weight[kVectors];
  for (int v = 0; v < kVectors; ++v) weight[v] = vld1q_s8(panel + v * 16);
  for (int r = 0; r < Rows; ++r)
    for (int v = 0; v < kVectors; ++v) sums[r][v] = vdotq_laneq_s32(sums[r][v], weight[v], row[r], Word);
}

// Adds `Steps` steps, which fill one register per row.
template <int Rows, int Steps>
[[NNRT_TARGET_DOT, gnu::always_inline]] inline void add_steps(const int8_t* const (&part)[Rows], int64_t step,
                                                              const int8_t* panel, int64_t panel_step,
                                                              int32x4_t (&sums)[Rows][kVectors]) {
  int8x16_t row[Rows];
  for (int r = 0; r < Rows; ++r) {
    const int8_t* const from = part[r] + step * kDotDepth;
    if constexpr (Steps == 4) {
      row[r] = vld1q_s8(from);
    } else {
      int32_t four;
      __builtin_memcpy(&four, from, sizeof four);
      row[r] = vreinterpretq_s8_s32(vdupq_n_s32(four));
    }
  }
  add_step<Rows, 0>(row, panel, sums);
  if constexpr (Steps == 4) {
    add_step<Rows, 1>(row, panel + panel_step, sums);
    add_step<Rows, 2>(row, panel + 2 * panel_step, sums);
    add_step<Rows, 3>(row, panel + 3 * panel_step, sums);
  }
}

// Up to kInt32Lanes columns; the weights of consecutive steps are `panel_step` bytes apart.
template <int Rows, typename To>
[[NNRT_TARGET_DOT]] void multiply_block(const Int8Rows& rows, const int32_t* row_sums, const int8_t* panel,
                                        int64_t panel_step, const Int8Epilogue& terms, int64_t channel,
                                        int columns, To* to, int64_t stride) {
  int32x4_t sums[Rows][kVectors] = {};
  const int64_t steps = divide_up(rows.tap_values, kDotDepth);
  for (int64_t tap = 0; tap < rows.taps; ++tap) {
    const int8_t* part[Rows];
    for (int r = 0; r < Rows; ++r) part[r] = rows.parts[tap * rows.tap_rows + r];
    int64_t step = 0;
    for (; step + 4 <= steps; step += 4, panel += 4 * panel_step)
      add_steps<Rows, 4>(part, step, panel, panel_step, sums);
    for (; step < steps; ++step, panel += panel_step) add_steps<Rows, 1>(part, step, panel, panel_step, sums);
  }
  const Bounds bounds = bounds_of(terms);
  Terms own[kVectors];
  for (int v = 0; v < kVectors; ++v) own[v] = terms_of(terms, channel + v * kLanes, columns - v * kLanes);
  for (int r = 0; r < Rows; ++r) {
    [[maybe_unused]] int32x4_t quantized[kVectors];
    for (int v = 0; v < kVectors; ++v) {
      const int32x4_t offset = vmlsq_n_s32(own[v].offset, own[v].zero, row_sums[r]);
      sums[r][v] = vaddq_s32(sums[r][v], offset);
      if constexpr (std::is_same_v<To, int8_t>)
        quantized[v] =
            to_quantized(sums[r][v], own[v].scale, columns - v * kLanes, bounds, terms, channel + v * kLanes);
    }
    if constexpr (std::is_same_v<To, int8_t>) store_columns(narrowed(quantized), columns, to + r * stride);
  }
  if constexpr (std::is_same_v<To, int32_t>) store_raw(sums, terms, channel, columns, to, stride);
}

// Dispatches to the instantiation for rows.count rows.
template <int Rows, typename To>
void multiply_rows(const Int8Rows& rows, const int32_t* row_sums, const int8_t* panel, int64_t panel_step,
                   const Int8Epilogue& terms, int64_t channel, int columns, To* to, int64_t stride) {
  if constexpr (Rows > 1) {
    if (rows.count < Rows)
      return multiply_rows<Rows - 1>(rows, row_sums, panel, panel_step, terms, channel, columns, to, stride);
  }
  for_blocks(rows, row_sums, to, stride, [&](const Int8Rows& block, const int32_t* block_sums, To* block_to) {
    multiply_block<Rows>(block, block_sums, panel, panel_step, terms, channel, columns, block_to, stride);
  });
}

template <typename To>
void multiply_columns(const Int8Rows& rows, const int32_t* row_sums, const uint8_t* panel,
                      const Int8Epilogue& terms, int64_t channel, int columns, To* to, int64_t stride) {
  const auto* const weights = reinterpret_cast<const int8_t*>(panel);
  const int64_t panel_step = columns > kInt32Lanes ? 2 * kStepBytes : kStepBytes;
  for (int first = 0; first < columns; first += kInt32Lanes)
    multiply_rows<kInt8BlockRows>(rows, row_sums, weights + first * kDotDepth, panel_step, terms,
                                  channel + first, std::min(kInt32Lanes, columns - first), to + first,
                                  stride);
}

[[NNRT_TARGET_DOT]] int32_t sum_int8(const int8_t* quantized, int64_t count) {
  const int8x16_t ones = vdupq_n_s8(1);
  int32x4_t sums = vdupq_n_s32(0);
  for (; count >= 16; quantized += 16, count -= 16) sums = vdotq_s32(sums, ones, vld1q_s8(quantized));
  int32_t sum = vaddvq_s32(sums);
  for (int64_t i = 0; i < count; ++i) sum += quantized[i];
  return sum;
}

// Loads up to 16 channels of a tap without reading past `channels`.
[[gnu::always_inline]] inline int8x16_t load_channels(const int8_t* from, int64_t channels) {
  if (channels >= kInt32Lanes) return vld1q_s8(from);
  alignas(16) int8_t some[kInt32Lanes] = {};
  std::copy_n(from, channels, some);
  return vld1q_s8(some);
}

// Channels of lane `lane` of a block (depthwise_weight_offset()).
[[NNRT_TARGET_DOT]] void depthwise_lane(const int8_t* const* taps, int64_t quads, const int8_t* weight,
                                        const Int8Epilogue& terms, int64_t block, int lane, int64_t channels,
                                        int8_t* to) {
  const int8x16_t ones = vdupq_n_s8(1);
  const int64_t channel = block + lane * kInt32Lanes;
  int32x4_t products[kVectors], sums[kVectors];
  for (int v = 0; v < kVectors; ++v) products[v] = sums[v] = vdupq_n_s32(0);
  for (int64_t quad = 0; quad < quads; ++quad, taps += 4, weight += 256) {
    int8x16_t tap[4];
    for (int t = 0; t < 4; ++t) tap[t] = load_channels(taps[t] + channel, channels);
    // Makes a channel's four bytes adjacent.
    const int16x8_t low_01 = vreinterpretq_s16_s8(vzip1q_s8(tap[0], tap[1]));
    const int16x8_t high_01 = vreinterpretq_s16_s8(vzip2q_s8(tap[0], tap[1]));
    const int16x8_t low_23 = vreinterpretq_s16_s8(vzip1q_s8(tap[2], tap[3]));
    const int16x8_t high_23 = vreinterpretq_s16_s8(vzip2q_s8(tap[2], tap[3]));
    const int16x8_t four[kVectors] = {vzip1q_s16(low_01, low_23), vzip2q_s16(low_01, low_23),
                                      vzip1q_s16(high_01, high_23), vzip2q_s16(high_01, high_23)};
    for (int v = 0; v < kVectors; ++v) {
      const int8x16_t bytes = vreinterpretq_s8_s16(four[v]);
      products[v] = vdotq_s32(products[v], vld1q_s8(weight + v * 64 + lane * 16), bytes);
      sums[v] = vdotq_s32(sums[v], ones, bytes);
    }
  }
  const Bounds bounds = bounds_of(terms);
  int32x4_t quantized[kVectors];
  for (int v = 0; v < kVectors; ++v) {
    const int64_t place = block + v * kInt32Lanes + lane * kLanes;  // same order as the x86 sums
    const Terms own = terms_of(terms, place, kLanes);
    const int32x4_t offset = vmlsq_s32(own.offset, own.zero, sums[v]);
    quantized[v] =
        to_quantized(vaddq_s32(products[v], offset), own.scale, channels - v * kLanes, bounds, terms, place);
  }
  store_columns(narrowed(quantized), channels, to + lane * kInt32Lanes);
}

}  // namespace

void sum_int8_rows(const Int8Rows& rows, int32_t* sums) { sum_rows(rows, sums, sum_int8); }

void multiply_int8(const Int8Rows& rows, const int32_t* row_sums, const uint8_t* panel,
                   const Int8Epilogue& terms, int64_t channel, int columns, int8_t* to, int64_t stride) {
  multiply_columns(rows, row_sums, panel, terms, channel, columns, to, stride);
}
void multiply_int8(const Int8Rows& rows, const int32_t* row_sums, const uint8_t* panel,
                   const Int8Epilogue& terms, int64_t channel, int columns, int32_t* to, int64_t stride) {
  multiply_columns(rows, row_sums, panel, terms, channel, columns, to, stride);
}

void depthwise_int8(const int8_t* const* taps, int64_t quads, const uint8_t* weight,
                    const Int8Epilogue& terms, int64_t channel, int64_t channels, int8_t* to) {
  for (int lane = 0; lane < kDepthwiseChannels / kInt32Lanes && lane * kInt32Lanes < channels; ++lane)
    depthwise_lane(taps, quads, reinterpret_cast<const int8_t*>(weight), terms, channel, lane,
                   channels - lane * kInt32Lanes, to);
}

}  // namespace nnrt::cpu
#endif
