// AVG_POOL_ND and MAX_POOL_ND.
#include "backends/cpu/base/element.h"
#include "backends/cpu/kernels/sampling/sampling_kernels.h"
#include "backends/cpu/simd/simd.h"
#include "core/schema/spatial_axes.h"

#include <limits>

namespace nnrt::cpu {
namespace {

struct Pool {
  Spatial3d spatial;
  bool mean, counts_padding;

  // Calls take(values) with the `inner` values of each cell under the kernel; returns how many cells count.
  template <typename Take>
  [[gnu::always_inline]] int64_t for_cells(const float* image, const std::array<AxisTaps, 3>& taps,
                                           const Take& take) const {
    const auto& [depth, height, width] = spatial.axes;
    for (int64_t u = taps[0].begin; u < taps[0].end; ++u) {
      const int64_t z = taps[0].origin + u * depth.dilation;
      for (int64_t v = taps[1].begin; v < taps[1].end; ++v) {
        const int64_t y = taps[1].origin + v * height.dilation;
        const float* const line = image + (z * height.in + y) * width.in * spatial.inner;
        for (int64_t w = taps[2].begin; w < taps[2].end; ++w)
          take(line + (taps[2].origin + w * width.dilation) * spatial.inner);
      }
    }
    if (counts_padding) return taps[0].padded * taps[1].padded * taps[2].padded;
    return taps[0].count() * taps[1].count() * taps[2].count();
  }

  // The average over padding alone is 0.
  [[gnu::always_inline]] void cell(const float* image, const std::array<AxisTaps, 3>& taps, float* y) const {
    const int64_t inner = spatial.inner;
    const float nothing = mean ? 0.0f : -std::numeric_limits<float>::infinity();
    for (int64_t c = 0; c < inner; ++c) y[c] = nothing;
    const int64_t count = for_cells(
        image, taps, [&](const float* x) __attribute__((always_inline)) {
          if (mean) {
            for (int64_t c = 0; c < inner; ++c) y[c] += x[c];
          } else {
            for (int64_t c = 0; c < inner; ++c) y[c] = y[c] < x[c] ? x[c] : y[c];
          }
        });
    if (!mean || count <= 0) return;
    const auto divisor = float(count);
    for (int64_t c = 0; c < inner; ++c) y[c] /= divisor;
  }

  [[gnu::always_inline]] void cells(const float* x, int64_t begin, int64_t end, float* y) const {
    const auto& [depth, height, width] = spatial.axes;
    for (int64_t cell_at = begin; cell_at < end; ++cell_at) {
      int64_t rest = cell_at;
      const auto next = [&](const SpatialAxis& axis) {
        const AxisTaps taps = taps_of(axis, rest % axis.out);
        rest /= axis.out;
        return taps;
      };
      std::array<AxisTaps, 3> taps{};
      taps[2] = next(width);
      taps[1] = next(height);
      taps[0] = next(depth);
      cell(x + rest * spatial.in_cells() * spatial.inner, taps, y + cell_at * spatial.inner);
    }
  }
};

Status pool(const KernelArgs& args, bool mean) {
  NNRT_ASSIGN(const std::vector<SpatialAxis> axes, spatial_axes(args.node));
  const Attrs& attrs = args.node.attrs();
  const Pool pool{spatial_3d_of(args.node, axes), mean, mean && attrs.flag(Attr::count_padding)};
  const FloatInput input(args, 0);
  FloatOutput output(args);
  constexpr int64_t kGrain = 1 << 14;  // values read
  const int64_t reads = std::min(pool.spatial.taps(), pool.spatial.in_cells()) * pool.spatial.inner;
  args.pool.parallel_for(pool.spatial.outer * pool.spatial.out_cells(),
                         1 + kGrain / std::max<int64_t>(reads, 1), [&](int64_t begin, int64_t end) {
                           with_vectors(
                               vector_bytes(), [&](auto) __attribute__((always_inline)) {
                                 pool.cells(input.data(), begin, end, output.data());
                               });
                         });
  output.store();
  return {};
}

}  // namespace

Status avg_pool_nd(const KernelArgs& args) { return pool(args, true); }

Status max_pool_nd(const KernelArgs& args) { return pool(args, false); }

}  // namespace nnrt::cpu
