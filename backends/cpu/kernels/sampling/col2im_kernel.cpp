// COL2IM: each image element sums the column elements that overlap it.
#include "backends/cpu/base/element.h"
#include "backends/cpu/kernels/sampling/sampling_kernels.h"
#include "core/schema/spatial_axes.h"

namespace nnrt::cpu {
namespace {

struct Columns {
  std::vector<SpatialAxis> axes;
  int64_t area = 1, blocks = 1, cells = 1;  // area of a block; blocks and cells of an image

  // Sums the elements that overlap a cell, recursing over dimensions from `d` on. `x` has the columns of one
  // channel; `place` and `block` are the partial indices of the dimensions before d.
  float sum(const float* x, const int64_t* cell, size_t d, int64_t place, int64_t block) const {
    if (d == axes.size()) return x[place * blocks + block];
    const SpatialAxis& axis = axes[d];
    float total = 0;
    for (int64_t k = 0; k < axis.kernel; ++k) {
      const int64_t start = cell[d] + axis.before - k * axis.dilation;
      if (start < 0) break;
      if (start % axis.stride != 0 || start / axis.stride >= axis.out) continue;
      total += sum(x, cell, d + 1, place * axis.kernel + k, block * axis.out + start / axis.stride);
    }
    return total;
  }
};

}  // namespace

Status col2im(const KernelArgs& args) {
  NNRT_ASSIGN(std::vector<SpatialAxis> axes, image_axes(args.node));
  Columns columns{.axes = std::move(axes)};
  for (const SpatialAxis& axis : columns.axes) {
    columns.area *= axis.kernel;
    columns.blocks *= axis.out;
    columns.cells *= axis.in;
  }
  const FloatInput input(args, 0);
  FloatOutput output(args);
  constexpr int64_t kGrain = 1 << 12;  // values read
  args.pool.parallel_for(output.count(), 1 + kGrain / columns.area, [&](int64_t begin, int64_t end) {
    std::vector<int64_t> cell(columns.axes.size());
    for (int64_t i = begin; i < end; ++i) {
      int64_t rest = i;
      for (size_t d = cell.size(); d-- > 0; rest /= columns.axes[d].in) cell[d] = rest % columns.axes[d].in;
      output[i] = columns.sum(input.data() + rest * columns.area * columns.blocks, cell.data(), 0, 0, 0);
    }
  });
  output.store();
  return {};
}

}  // namespace nnrt::cpu
