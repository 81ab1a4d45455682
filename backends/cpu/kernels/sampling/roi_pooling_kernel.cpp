// ROI_POOLING on NHWC. Bin borders are computed in float32, rounding after each operation, since they select
// entire cells. The steps match roi_pooling.comp.
#include "backends/cpu/base/element.h"
#include "backends/cpu/kernels/sampling/regions.h"
#include "backends/cpu/kernels/sampling/sampling_kernels.h"
#include "core/schema/geometry.h"

#include <cmath>

namespace nnrt::cpu {
namespace {

// The cells [begin, end) of a bin along one dimension.
struct Cells {
  int64_t begin = 0, end = 0;
};

Cells cells_of(float from, float to, int64_t bin, int64_t bins, int64_t length) {
  const float start = std::round(from);
  const float size = std::max(std::round(to) - start + 1.0f, 1.0f);
  const float step = size / float(bins);
  const float first = step * float(bin), last = step * float(bin + 1);
  const auto clamped = [&](float border) {
    return border > 0 ? (border < float(length) ? int64_t(border) : length) : int64_t(0);
  };
  return {clamped(std::floor(first + start)), clamped(std::ceil(last + start))};
}

// Per-channel maxima over a non-empty range of cells.
void maxima(const float* image, const Shape& shape, Cells rows, Cells columns, float* y) {
  const int64_t channels = shape[3];
  std::copy_n(image + (rows.begin * shape[2] + columns.begin) * channels, channels, y);
  for (int64_t row = rows.begin; row < rows.end; ++row) {
    for (int64_t column = columns.begin; column < columns.end; ++column) {
      const float* const x = image + (row * shape[2] + column) * channels;
      for (int64_t c = 0; c < channels; ++c) y[c] = y[c] < x[c] ? x[c] : y[c];
    }
  }
}

}  // namespace

Status roi_pooling(const KernelArgs& args) {
  const Shape& shape = args.node.shape();
  const Attrs& attrs = args.node.attrs();
  const int64_t bin_rows = attrs.integer(Attr::new_height), bin_columns = attrs.integer(Attr::new_width);
  const FloatInput input(args, 0), regions(args, 1);
  FloatOutput output(args);
  const std::vector<int64_t> batch_indices = args.node.integers(2).value_or(std::vector<int64_t>());
  if (attrs.is_set(Attr::strict)) NNRT_TRY(check_regions(args.node, regions.values(), batch_indices));
  const std::array<float, 2> stride = region_strides(attrs);
  const int64_t image_size = product(shape, 1, 4), bins = bin_rows * bin_columns;
  args.pool.parallel_for(int64_t(batch_indices.size()) * bins, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t region = i / bins;
      const float* const box = regions.data() + region * 4;
      const Cells rows =
          cells_of(box[1] / stride[0], box[3] / stride[0], i % bins / bin_columns, bin_rows, shape[1]);
      const Cells columns =
          cells_of(box[0] / stride[1], box[2] / stride[1], i % bin_columns, bin_columns, shape[2]);
      float* const y = output.data() + i * shape[3];
      const int64_t batch = batch_indices[size_t(region)];
      const bool is_there = batch >= 0 && batch < shape[0];  // R20
      if (!is_there || rows.begin >= rows.end || columns.begin >= columns.end) {
        std::fill_n(y, shape[3], 0.0f);
      } else {
        maxima(input.data() + batch * image_size, shape, rows, columns, y);
      }
    }
  });
  output.store();
  return {};
}

}  // namespace nnrt::cpu
