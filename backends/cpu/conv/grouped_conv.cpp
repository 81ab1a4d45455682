// Grouped FLOAT32 convolutions.
#include "backends/cpu/conv/conv_kernels.h"
#include "backends/cpu/conv/pixel_rows.h"
#include "backends/cpu/gemm/f32_gemm.h"
#include "backends/cpu/simd/masked_access.h"
#include "core/base/check.h"

#include <algorithm>

namespace nnrt::cpu {
namespace {

constexpr int kLanes = 16;

// One vector of output channels of several groups.
struct SharedVector {
  const float* weights;  // [taps][channels of a group][kLanes]
  const int32_t* first;  // input channel of each lane's group, among those of the vector
  int64_t channels, columns;
  F32Epilogue epilogue;
  int64_t stride;  // of output pixels
};

#if defined(__x86_64__)

// NaN stays: the second operand is returned if one is NaN.
[[NNRT_TARGET_AVX512, gnu::always_inline]] inline __m512 clamped(__m512 x, float low, float high) {
  return _mm512_min_ps(_mm512_set1_ps(high), _mm512_max_ps(_mm512_set1_ps(low), x));
}

// Each lane's factors are permuted from the input channels of its group, which are in `Sources` vectors.
template <int Rows, int Sources>
[[NNRT_TARGET_AVX512]] void multiply_block(const F32Rows& rows, const float* const* parts,
                                           const SharedVector& vector, int64_t at, float* to) {
  static_assert(Sources == 1 || Sources == 2);
  const __mmask16 channels = first_lanes(vector.channels - (Sources - 1) * kLanes),
                  columns = first_lanes(vector.columns);
  const __m512i first = _mm512_loadu_si512(vector.first), one = _mm512_set1_epi32(1);
  const float* weights = vector.weights;
  __m512 sums[Rows];
  for (int r = 0; r < Rows; ++r) sums[r] = _mm512_setzero_ps();
  for (int64_t tap = 0; tap < rows.taps; ++tap, parts += rows.block_rows) {
    __m512 pixels[Rows], last[Rows];  // of the channels
    for (int r = 0; r < Rows; ++r) {
      last[r] = load_masked_floats(channels, parts[r] + (Sources - 1) * kLanes);
      if constexpr (Sources > 1) pixels[r] = _mm512_loadu_ps(parts[r]);
    }
    __m512i channel = first;
    for (int64_t k = 0; k < rows.tap_floats; ++k, weights += kLanes) {
      const __m512 weight = _mm512_loadu_ps(weights);
      for (int r = 0; r < Rows; ++r) {
        const __m512 factors = Sources > 1 ? _mm512_permutex2var_ps(pixels[r], channel, last[r])
                                           : _mm512_permutexvar_ps(channel, last[r]);
        sums[r] = _mm512_fmadd_ps(factors, weight, sums[r]);
      }
      channel = _mm512_add_epi32(channel, one);
    }
  }
  const F32Epilogue& end = vector.epilogue;
  const __m512 bias = load_masked_floats(columns, end.bias);
  for (int r = 0; r < Rows; ++r) {
    __m512 result = clamped(_mm512_add_ps(sums[r], bias), end.low, end.high);
    if (end.other != nullptr) {
      const float* const other = end.other + at + r * vector.stride;
      result =
          clamped(_mm512_add_ps(result, load_masked_floats(columns, other)), end.other_low, end.other_high);
    }
    _mm512_mask_storeu_ps(to + at + r * vector.stride, columns, result);
  }
}

template <int Rows, int Sources>
void multiply_rows_of(const F32Rows& rows, int64_t row, int64_t end, const SharedVector& vector, float* to) {
  const int64_t block = row / rows.block_rows * rows.block_rows;
  for (; end - row >= Rows; row += Rows)
    multiply_block<Rows, Sources>(rows, rows.parts + block * rows.taps + (row - block), vector,
                                  row * vector.stride, to);
  if constexpr (Rows > 1) {
    if (row < end) multiply_rows_of<Rows / 2, Sources>(rows, row, end, vector, to);
  }
}

void multiply_shared(const F32Rows& rows, const SharedVector& vector, float* to) {
  for (int64_t row = 0; row < rows.count; row += rows.block_rows) {
    const int64_t end = std::min(row + rows.block_rows, rows.count);
    if (vector.channels > kLanes) {
      multiply_rows_of<kMaxFloatRows, 2>(rows, row, end, vector, to);
    } else {
      multiply_rows_of<kMaxFloatRows, 1>(rows, row, end, vector, to);
    }
  }
}

#else

void multiply_shared(const F32Rows&, const SharedVector&, float*) {
  NNRT_CHECK(false, "This processor has no vectors of 16 floats.");
}

#endif

}  // namespace

int64_t groups_in_vector(const Convolution& conv) {
  if (vector_bytes() != kLanes * int(sizeof(float))) return 1;
  // Permuting from two vectors takes longer than multiplying half a vector by one factor.
  const int64_t sources = conv.group_out < kLanes / 2 ? 2 : 1;
  const int64_t most = std::min(kLanes / conv.group_out, sources * kLanes / conv.group_in);
  return most < 2 ? 1 : divide_up(conv.groups, divide_up(conv.groups, most));
}

bool shares_taps(const Convolution& conv) {
  constexpr int64_t kMaxChannels = 32;  // more take far longer to multiply than to locate
  if (groups_in_vector(conv) > 1) return true;
  return conv.groups > 1 && std::max(conv.group_in, conv.group_out) <= kMaxChannels &&
         row_source_of<float>(conv) == RowSource::taps;
}

Status convolve_groups(const KernelArgs& args, const Convolution& conv, const GemmProblem& gemm,
                       const PrepackedBytes& filters) {
  constexpr int64_t kGrain = int64_t{256} * 1024;  // products worth a thread
  const GroupTiles tiles =
      group_tiles(gemm.rows, f32_tile_block(gemm).rows, gemm.groups, args.pool.threads());
  const PixelRows<float> pixels(conv, args.input<float>(0), 0.0f, PixelRows<float>::kAllGroups);
  const float* const panels = filters.as<float>();
  const float* const bias = panels + gemm.groups * f32_group_floats(gemm);
  const F32OutputEpilogue end(args);
  const int64_t together = groups_in_vector(conv), channels = together * conv.group_in;
  int32_t lane_channel[kLanes];
  for (int64_t lane = 0; lane < kLanes; ++lane)
    lane_channel[lane] = int32_t(lane / conv.group_out * conv.group_in);
  float* const output = args.output<float>();
  const int64_t parts_count = tiles.rows * gemm.taps, part_bytes = parts_count * int64_t(sizeof(float*));
  const auto scratch_bytes = size_t(part_bytes + pixels.bytes(tiles.rows));
  args.scratch->reserve(args.pool.threads(), scratch_bytes);
  const int64_t work = tiles.rows * tiles.groups * gemm.columns * gemm.inner();
  args.pool.parallel_for(
      tiles.row_tiles * tiles.group_parts, divide_up(kGrain, work),
      [&](int64_t begin, int64_t until, unsigned worker) {
        std::byte* const scratch = args.scratch->of_worker(worker, scratch_bytes);
        auto* const parts = reinterpret_cast<const float**>(scratch);
        auto* const zeros = reinterpret_cast<float*>(scratch + part_bytes);
        for (int64_t task = begin; task < until; ++task) {
          const int64_t row = task / tiles.group_parts * tiles.rows,
                        first = task % tiles.group_parts * tiles.groups;
          const int64_t last = std::min(first + tiles.groups, gemm.groups);
          const F32Rows rows{parts,           nullptr,           0,
                             gemm.taps,       gemm.tap_elements, std::min(tiles.rows, gemm.rows - row),
                             tiles.block_rows};
          std::fill_n(parts, parts_count, zeros);  // also those of rows beyond the last
          pixels(row, rows.count, tiles.block_rows, parts, zeros);
          for (int64_t group = first; group < last; ++group) {
            const int64_t step = group == first ? first * channels : channels;
            for (int64_t i = 0; i < parts_count; ++i) parts[i] += step;
            const int64_t at = row * conv.out_channels + group * gemm.columns;
            const float* const panel = panels + group * f32_group_floats(gemm);
            const F32Epilogue epilogue = end.epilogue(bias + group * gemm.columns, at);
            const int64_t columns = gemm.columns_of(group);
            if (together > 1) {
              multiply_shared(rows,
                              {panel, lane_channel, columns / conv.group_out * conv.group_in, columns,
                               epilogue, conv.out_channels},
                              output + at);
            } else {
              multiply_f32(gemm.vectors, rows, panel, columns, epilogue, output + at, conv.out_channels);
            }
          }
          const int64_t column = first * gemm.columns;
          end.apply_rest(row * conv.out_channels + column, rows.count,
                         std::min(last * gemm.columns, conv.out_channels) - column, conv.out_channels);
        }
      });
  return {};
}

}  // namespace nnrt::cpu
