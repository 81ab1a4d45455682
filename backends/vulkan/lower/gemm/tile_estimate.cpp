#include "backends/vulkan/lower/gemm/tile_estimate.h"

#include "core/base/divide_up.h"

#include <algorithm>
#include <array>

namespace nnrt::vulkan {
namespace {

// Microseconds per K slice. alone: with one workgroup per core, nothing hides its loads and barriers. shared:
// with several workgroups per core, which hide each other's latency, per workgroup.
struct SliceTime {
  bool is_matrix;
  uint32_t tile;  // rows * columns
  double alone, shared;
};

// Fitted to GEMMs from 64 x 512 x 4608 to 4096^3, less 3.5 us per dispatch. A slice is 16 floats or 64 fp16
// values (the same bytes as 128 INT8 values). Those of matrices come from kernels whose matrices stay in
// registers.
constexpr std::array kSlices{
    SliceTime{false, 128 * 128, 2.3, 1.88}, SliceTime{false, 64 * 128, 1.55, 1.07},
    SliceTime{false, 64 * 64, 0.75, 0.475}, SliceTime{false, 32 * 32, 0.53, 0.2},
    SliceTime{true, 128 * 128, 1.2, 1.05},  SliceTime{true, 64 * 64, 0.45, 0.4},
    SliceTime{true, 32 * 32, 0.35, 0.18},
};

// The reduction after split-K: its dispatch and barrier, and the bytes of partial sums written and read.
constexpr double kSecondPass = 4, kBytesOfMicrosecond = 1.5e6;

}  // namespace

double estimated_us(const TileEstimate& work) {
  const auto slice = std::ranges::find_if(kSlices, [&](const SliceTime& one) {
    return one.is_matrix == work.is_matrix && one.tile == work.rows * work.columns;
  });
  if (slice == kSlices.end()) return 0;
  const uint32_t slices = divide_up(work.split_length, work.slice);
  // The most loaded core decides.
  const uint64_t per_core = divide_up(work.tiles * work.splits, work.cores);
  const double us = slices * std::max(slice->alone, slice->shared * double(per_core));
  if (work.splits == 1) return us;
  const double bytes = 2.0 * double(sizeof(float)) * double(work.results) * work.splits;
  return us + kSecondPass + bytes / kBytesOfMicrosecond;
}

}  // namespace nnrt::vulkan
