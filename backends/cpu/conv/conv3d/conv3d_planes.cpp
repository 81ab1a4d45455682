// A tap shifts a padded plane by a constant offset, so consecutive cells of the plane are columns of the
// GEMM, and an im2col matrix is not needed. Columns between the end of one line and the next are not stored.
#include "backends/cpu/conv/conv3d/conv3d_planes.h"

#include "backends/cpu/gemm/gemm_output.h"
#include "backends/cpu/gemm/generic_microkernel.h"
#include "backends/cpu/simd/simd.h"

#include <algorithm>
#include <memory>

namespace nnrt::cpu {
namespace {

constexpr int64_t kMaxFloats = 1 << 22;  // of the padded input

// Output planes [out_begin, out_end), and the padded input planes of a group's channels that they need.
struct Slab {
  const Convolution3d& conv;
  int64_t out_begin = 0, out_end = 0;

  const SpatialAxis& axis(size_t i) const { return conv.spatial.axes[i]; }
  static int64_t padded(const SpatialAxis& axis) { return (axis.out - 1) * axis.stride + axis.reach(); }

  int64_t width() const { return padded(axis(2)); }
  int64_t plane() const { return width() * padded(axis(1)); }
  int64_t planes() const { return (out_end - out_begin - 1) * axis(0).stride + axis(0).reach(); }
  int64_t channel() const { return planes() * plane(); }
  // The last panel reads beyond the last cell.
  int64_t floats() const { return conv.group_in * channel() + kMaxBlockColumns; }

  // Columns of an output plane, without the padding of the last line, as panels.
  int64_t panels() const {
    const int64_t width_of_panel = block_size(vector_bytes()).columns;
    return ((axis(1).out - 1) * width() + axis(2).out + width_of_panel - 1) / width_of_panel;
  }
};

template <typename T>
void widen(const T* from, int32_t zero_point, int64_t count, float* to) {
  with_vectors(
      vector_bytes(), [&](auto) __attribute__((always_inline)) {
        for (int64_t i = 0; i < count; ++i) to[i] = widened(from[i], zero_point);
      });
}

// Plane `z` of the padded input of one channel.
template <typename T>
void pad_plane(const Slab& slab, const T* channel, int32_t zero_point, int64_t z, float* to) {
  const SpatialAxis &depth = slab.axis(0), &height = slab.axis(1), &row = slab.axis(2);
  const int64_t width = slab.width(), from_z = z - depth.before;
  std::fill_n(to, slab.plane(), 0.0f);
  if (from_z < 0 || from_z >= depth.in) return;
  const int64_t count = std::min(row.in, width - row.before);
  const int64_t lines = std::min(height.in, slab.plane() / width - height.before);
  for (int64_t y = 0; y < lines && count > 0; ++y)
    widen(channel + (from_z * height.in + y) * row.in, zero_point, count,
          to + (y + height.before) * width + row.before);
}

template <typename T>
void pad(const KernelArgs& args, const Slab& slab, const T* input, float* padded) {
  const int64_t planes = slab.planes(), first = slab.out_begin * slab.axis(0).stride;
  const int64_t cells = slab.conv.spatial.in_cells();
  const int32_t zero_point = zero_point_of(args.node.input(0));
  const int64_t grain = 1 + (1 << 14) / slab.plane();
  args.pool.parallel_for(slab.conv.group_in * planes, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      pad_plane(slab, input + i / planes * cells, zero_point, first + i % planes, padded + i * slab.plane());
  });
  std::fill_n(padded + slab.conv.group_in * slab.channel(), kMaxBlockColumns, 0.0f);
}

std::vector<int64_t> tap_offsets(const Slab& slab) {
  std::vector<int64_t> offsets;
  slab.conv.for_taps([&](int64_t, const std::array<int64_t, 3>& tap) {
    const int64_t at = tap[0] * slab.axis(0).dilation * slab.plane() +
                       tap[1] * slab.axis(1).dilation * slab.width() + tap[2] * slab.axis(2).dilation;
    for (int64_t i = 0; i < slab.conv.group_in; ++i) offsets.push_back(at + i * slab.channel());
  });
  return offsets;
}

// Stores the columns of an output plane from `column` on that are pixels. `at` is the plane's first element.
template <typename Sum>
void store_columns(const GemmOutput& output, const Slab& slab, std::span<const Sum> sums, int64_t column,
                   int64_t channel, int64_t at) {
  const int64_t width = slab.width(), out = slab.axis(2).out, end = column + int64_t(sums.size());
  if (width == out) return output.store_row(sums, channel, at + column);
  for (int64_t y = column / width; y * width < end; ++y) {
    const int64_t from = std::max(column, y * width), to = std::min(end, y * width + out);
    if (from < to)
      output.store_row(sums.subspan(size_t(from - column), size_t(to - from)), channel,
                       at + y * out + from - y * width);
  }
}

template <typename T>
void convolve_slab(const KernelArgs& args, const Slab& slab, int64_t image, int64_t group, float* padded) {
  const Convolution3d& conv = slab.conv;
  const Filters3d<T> filters(args, conv, group);
  const int64_t first_in = image * conv.in_channels + group * conv.group_in;
  pad(args, slab, args.input<T>(0) + first_in * conv.spatial.in_cells(), padded);
  const GemmOutput output(args, true, conv.out_channels);
  const std::vector<int64_t> offsets = tap_offsets(slab);
  const int64_t plane_columns = slab.panels() * block_size(vector_bytes()).columns;
  const int64_t out_plane = slab.axis(1).out * slab.axis(2).out, pixels = conv.spatial.out_cells();
  const int64_t plane_step = slab.axis(0).stride * slab.plane();
  const int64_t used = (slab.axis(1).out - 1) * slab.width() + slab.axis(2).out;

  GenericGemm<SumOf<T>> gemm{conv.group_out, (slab.out_end - slab.out_begin) * plane_columns, conv.inner()};
  gemm.left = [&](int64_t first, int64_t end, std::vector<float>& scratch) {
    return filters.rows(first, end, conv.inner(), scratch);
  };
  gemm.right.offsets = offsets.data();
  gemm.right.lines = [&](int64_t first) {
    return padded + first / plane_columns * plane_step + first % plane_columns;
  };
  gemm.store = [&](const Sums<SumOf<T>>& sums) {
    const int64_t z = slab.out_begin + sums.column / plane_columns, column = sums.column % plane_columns;
    const int64_t count = std::min(sums.columns, used - column);
    for (int64_t r = 0; r < sums.rows; ++r) {
      const int64_t channel = group * conv.group_out + sums.row + r;
      store_columns(output, slab, std::span(sums.data + r * sums.stride, size_t(count)), column, channel,
                    (image * conv.out_channels + channel) * pixels + z * out_plane);
    }
  };
  multiply(gemm, args.pool);
}

}  // namespace

bool convolves_planes(const Convolution3d& conv) {
  const SpatialAxis &height = conv.spatial.axes[1], &row = conv.spatial.axes[2];
  if (height.stride != 1 || row.stride != 1) return false;
  const Slab least{conv, 0, 1};
  if (least.width() > 2 * row.out) return false;
  // Divides, because the product of the sizes may overflow: padding and dilation go up to 2^31 - 1.
  int64_t room = kMaxFloats - kMaxBlockColumns;
  for (const int64_t size : {conv.group_in, least.planes(), Slab::padded(height), least.width()})
    room /= size;
  return room > 0;
}

template <typename T>
void convolve_planes(const KernelArgs& args, const Convolution3d& conv, int64_t group) {
  const SpatialAxis& depth = conv.spatial.axes[0];
  const Slab one{conv, 0, 1}, two{conv, 0, 2};
  const int64_t more = std::max<int64_t>((kMaxFloats - one.floats()) / (two.floats() - one.floats()), 0);
  const int64_t step = std::min(depth.out, 1 + more);
  const auto padded = std::make_unique_for_overwrite<float[]>(size_t(Slab{conv, 0, step}.floats()));
  for (int64_t image = 0; image < conv.batch; ++image)
    for (int64_t z = 0; z < depth.out; z += step)
      convolve_slab<T>(args, {conv, z, std::min(depth.out, z + step)}, image, group, padded.get());
}

template void convolve_planes<float>(const KernelArgs&, const Convolution3d&, int64_t);
template void convolve_planes<Half>(const KernelArgs&, const Convolution3d&, int64_t);
template void convolve_planes<int8_t>(const KernelArgs&, const Convolution3d&, int64_t);

}  // namespace nnrt::cpu
