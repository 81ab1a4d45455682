// Geometry and filters of CONV3D.
#pragma once

#include "backends/cpu/base/kernel.h"
#include "backends/cpu/gemm/generic_gemm.h"
#include "core/schema/geometry.h"
#include "core/schema/spatial_axes.h"

#include <array>
#include <span>
#include <vector>

namespace nnrt::cpu {

struct Convolution3d {
  Spatial3d spatial;
  bool channels_last = false;
  int64_t batch = 0, in_channels = 0, out_channels = 0, groups = 1, group_in = 0, group_out = 0;

  int64_t inner() const { return spatial.taps() * group_in; }

  struct Pixel {
    std::array<int64_t, 3> at{};  // in the output
    int64_t image = 0;
  };
  Pixel pixel(int64_t index) const {
    Pixel pixel;
    for (size_t axis = 3; axis-- > 0; index /= spatial.axes[axis].out)
      pixel.at[axis] = index % spatial.axes[axis].out;
    pixel.image = index;
    return pixel;
  }

  // The input cell under a kernel tap, or -1.
  int64_t source(const Pixel& pixel, const std::array<int64_t, 3>& tap) const {
    int64_t cell = 0;
    for (size_t i = 0; i < 3; ++i) {
      const SpatialAxis& axis = spatial.axes[i];
      const int64_t at = pixel.at[i] * axis.stride - axis.before + tap[i] * axis.dilation;
      if (at < 0 || at >= axis.in) return -1;
      cell = cell * axis.in + at;
    }
    return cell;
  }

  // Calls take(number, tap) for every kernel tap.
  template <typename Take>
  void for_taps(const Take& take) const {
    int64_t number = 0;
    std::array<int64_t, 3> tap{};
    for (tap[0] = 0; tap[0] < spatial.axes[0].kernel; ++tap[0])
      for (tap[1] = 0; tap[1] < spatial.axes[1].kernel; ++tap[1])
        for (tap[2] = 0; tap[2] < spatial.axes[2].kernel; ++tap[2]) take(number++, tap);
  }
};

inline Result<Convolution3d> convolution_3d_of(const NodeView& node) {
  NNRT_ASSIGN(const std::vector<SpatialAxis> axes, spatial_axes(node));
  Convolution3d conv{.spatial = spatial_3d_of(node, axes), .channels_last = channel_axis(node) != 1};
  conv.batch = node.shape(0)[0];
  conv.in_channels = conv.spatial.outer / conv.batch * conv.spatial.inner;
  conv.out_channels = node.shape(1)[0];
  conv.group_in = node.shape(1)[4];
  conv.groups = conv.in_channels / conv.group_in;
  conv.group_out = conv.out_channels / conv.groups;
  return conv;
}

// The filters of one group: element k of column c (channels last) or of row c (channels first).
template <typename T>
struct Filters3d {
  const T* data;
  std::span<const int32_t> zero_points;

  Filters3d(const KernelArgs& args, const Convolution3d& conv, int64_t group)
      : data(args.input<T>(1) + group * conv.group_out * conv.inner()),
        zero_points(args.node.input(1).quant.zero_points) {
    if (zero_points.size() > 1)
      zero_points = zero_points.subspan(size_t(group * conv.group_out), size_t(conv.group_out));
  }

  RowBlock rows(int64_t begin, int64_t end, int64_t inner, std::vector<float>& scratch) const {
    if constexpr (std::is_same_v<T, float>) {
      return {data + begin * inner, inner};
    } else {
      scratch.resize(size_t((end - begin) * inner));
      for (int64_t row = begin; row < end; ++row) {
        const int32_t zero_point =
            zero_points.empty() ? 0 : zero_points[zero_points.size() == 1 ? 0 : size_t(row)];
        for (int64_t k = 0; k < inner; ++k)
          scratch[size_t((row - begin) * inner + k)] = widened(data[row * inner + k], zero_point);
      }
      return {scratch.data(), inner};
    }
  }
};

}  // namespace nnrt::cpu
