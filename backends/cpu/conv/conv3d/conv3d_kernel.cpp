// CONV3D as GEMMs in float. Output pixels are the rows of the GEMM in channels-last layout, and the columns
// in channels-first layout.
#include "backends/cpu/base/kernel_families.h"
#include "backends/cpu/conv/conv3d/conv3d_geometry.h"
#include "backends/cpu/conv/conv3d/conv3d_planes.h"
#include "backends/cpu/gemm/gemm_output.h"
#include "backends/cpu/gemm/generic_gemm.h"
#include "backends/cpu/gemm/generic_microkernel.h"
#include "backends/cpu/gemm/matmul_kernels.h"

#include <algorithm>
#include <cmath>

namespace nnrt::cpu {
namespace {

// im2col rows of output pixels [begin, end), channels last.
template <typename T>
RowBlock pixel_rows(const Convolution3d& conv, const T* input, int32_t zero_point, int64_t begin, int64_t end,
                    std::vector<float>& scratch) {
  const int64_t inner = conv.inner();
  scratch.resize(size_t((end - begin) * inner));
  for (int64_t row = begin; row < end; ++row) {
    const auto pixel = conv.pixel(row);
    const T* const image = input + pixel.image * conv.spatial.in_cells() * conv.in_channels;
    float* const to = scratch.data() + (row - begin) * inner;
    conv.for_taps([&](int64_t number, const std::array<int64_t, 3>& tap) {
      float* const part = to + number * conv.group_in;
      const int64_t cell = conv.source(pixel, tap);
      if (cell < 0) return static_cast<void>(std::fill_n(part, conv.group_in, 0.0f));
      const T* const from = image + cell * conv.in_channels;
      for (int64_t i = 0; i < conv.group_in; ++i) part[i] = widened(from[i], zero_point);
    });
  }
  return {scratch.data(), inner};
}

// Columns whose cells under one tap are contiguous.
struct Run {
  int64_t begin = 0, end = 0;
  int64_t source = -1;  // the first cell; -1 if outside the input
};

// Appends the runs of `count` columns of one output line, from pixel `first` on; returns the end of `runs`.
Run* add_line_runs(const Convolution3d& conv, const Convolution3d::Pixel& first, int64_t column,
                   int64_t count, const std::array<int64_t, 3>& tap, Run* runs) {
  const SpatialAxis& axis = conv.spatial.axes[2];
  int64_t line = 0;
  for (size_t i = 0; i < 2; ++i) {
    const SpatialAxis& outer = conv.spatial.axes[i];
    const int64_t at = first.at[i] * outer.stride - outer.before + tap[i] * outer.dilation;
    if (at < 0 || at >= outer.in) {
      *runs = {column, column + count, -1};
      return runs + 1;
    }
    line = line * outer.in + at;
  }
  line *= axis.in;
  int64_t at = first.at[2] * axis.stride - axis.before + tap[2] * axis.dilation;
  const auto add = [&](int64_t length, int64_t source) {
    if (length > 0) *runs++ = {column, column + length, source};
    column += std::max<int64_t>(length, 0);
  };
  if (axis.stride != 1) {
    for (int64_t c = 0; c < count; ++c, at += axis.stride) add(1, at < 0 || at >= axis.in ? -1 : line + at);
    return runs;
  }
  const int64_t before = std::clamp<int64_t>(-at, 0, count),
                end = std::clamp<int64_t>(axis.in - at, before, count);
  add(before, -1);
  add(end - before, line + at + before);
  add(count - end, -1);
  return runs;
}

// Splits `count` columns into runs; returns the number of runs.
int64_t find_runs(const Convolution3d& conv, const Convolution3d::Pixel* pixels, int64_t count,
                  const std::array<int64_t, 3>& tap, Run* runs) {
  Run* end = runs;
  for (int64_t c = 0; c < count;) {
    const int64_t length = std::min(count - c, conv.spatial.axes[2].out - pixels[c].at[2]);
    end = add_line_runs(conv, pixels[c], c, length, tap, end);
    c += length;
  }
  return end - runs;
}

// im2col columns of `count` output pixels of one image, from pixel `from` on, channels first.
template <typename T>
void fill_columns(const Convolution3d& conv, const T* image, int32_t zero_point, int64_t from, int64_t count,
                  int width, float* panel) {
  Convolution3d::Pixel pixels[kMaxBlockColumns];
  for (int64_t c = 0; c < count; ++c) pixels[c] = conv.pixel(from + c);
  const int64_t cells = conv.spatial.in_cells();
  conv.for_taps([&](int64_t, const std::array<int64_t, 3>& tap) {
    Run runs[kMaxBlockColumns];
    const int64_t found = find_runs(conv, pixels, count, tap, runs);
    for (int64_t i = 0; i < conv.group_in; ++i, panel += width) {
      for (int64_t r = 0; r < found; ++r) {
        const Run& run = runs[r];
        if (run.source < 0) {
          std::fill(panel + run.begin, panel + run.end, 0.0f);
          continue;
        }
        const T* const source = image + i * cells + run.source - run.begin;
        for (int64_t c = run.begin; c < run.end; ++c) panel[c] = widened(source[c], zero_point);
      }
      std::fill(panel + count, panel + width, 0.0f);
    }
  });
}

template <typename T>
void convolve_inner(const KernelArgs& args, const Convolution3d& conv, int64_t group) {
  const GemmOutput output(args, true, conv.out_channels);
  const Filters3d<T> filters(args, conv, group);
  const T* const input = args.input<T>(0) + group * conv.group_in;
  const int32_t zero_point = zero_point_of(args.node.input(0));
  GenericGemm<SumOf<T>> gemm{conv.batch * conv.spatial.out_cells(), conv.group_out, conv.inner()};
  gemm.left = [&](int64_t begin, int64_t end, std::vector<float>& scratch) {
    return pixel_rows(conv, input, zero_point, begin, end, scratch);
  };
  gemm.right =
      contiguous_columns(filters.data, conv.inner(), conv.group_out, conv.inner(), filters.zero_points);
  gemm.store = [&](const Sums<SumOf<T>>& sums) {
    output.store_block(sums, group * conv.group_out, conv.out_channels);
  };
  multiply(gemm, args.pool);
}

// One group of one image, a block of columns at a time.
template <typename T>
void convolve_outer(const KernelArgs& args, const Convolution3d& conv, int64_t image, int64_t group) {
  constexpr int64_t kMaxFloats = 1 << 22;
  const GemmOutput output(args, true, conv.out_channels);
  const Filters3d<T> filters(args, conv, group);
  const int64_t first_in = image * conv.in_channels + group * conv.group_in;
  const T* const input = args.input<T>(0) + first_in * conv.spatial.in_cells();
  const int32_t zero_point = zero_point_of(args.node.input(0));
  const int64_t pixels = conv.spatial.out_cells();
  const int64_t step = std::max<int64_t>(kMaxFloats / conv.inner(), kMaxBlockColumns);
  for (int64_t begin = 0; begin < pixels; begin += step) {
    const int64_t columns = std::min(step, pixels - begin);
    GenericGemm<SumOf<T>> gemm{conv.group_out, columns, conv.inner()};
    gemm.left = [&](int64_t first, int64_t end, std::vector<float>& scratch) {
      return filters.rows(first, end, conv.inner(), scratch);
    };
    gemm.right.fill = [&](int64_t first, int width, float* panel) {
      const int64_t count = std::min<int64_t>(width, columns - first);
      fill_columns(conv, input, zero_point, begin + first, count, width, panel);
    };
    gemm.store = [&](const Sums<SumOf<T>>& sums) {
      for (int64_t r = 0; r < sums.rows; ++r) {
        const int64_t channel = group * conv.group_out + sums.row + r;
        output.store_row(std::span(sums.data + r * sums.stride, size_t(sums.columns)), channel,
                         (image * conv.out_channels + channel) * pixels + begin + sums.column);
      }
    };
    multiply(gemm, args.pool);
  }
}

// Non-finite weights must not be multiplied by padding zeros.
template <typename T>
bool are_finite(const KernelArgs& args, const Convolution3d& conv) {
  if (std::is_same_v<T, int8_t>) return true;
  const std::span<const T> weights(args.input<T>(1), size_t(conv.out_channels * conv.inner()));
  return std::ranges::all_of(weights, [](T weight) { return std::isfinite(widened(weight, 0)); });
}

// One output channel at a pixel, summing only taps inside the input. Floats have no zero points.
template <typename T>
float direct_sum(const KernelArgs& args, const Convolution3d& conv, const Convolution3d::Pixel& pixel,
                 int64_t channel) {
  const int64_t cells = conv.spatial.in_cells(), first = channel / conv.group_out * conv.group_in;
  const int64_t channel_step = conv.channels_last ? 1 : cells;
  const int64_t cell_step = conv.channels_last ? conv.in_channels : 1;
  const T* const image = args.input<T>(0) + pixel.image * cells * conv.in_channels + first * channel_step;
  const T* const weights = args.input<T>(1) + channel * conv.inner();
  float sum = 0;
  conv.for_taps([&](int64_t number, const std::array<int64_t, 3>& tap) {
    const int64_t cell = conv.source(pixel, tap);
    for (int64_t i = 0; i < conv.group_in && cell >= 0; ++i)
      sum += widened(image[cell * cell_step + i * channel_step], 0) *
             widened(weights[number * conv.group_in + i], 0);
  });
  return sum;
}

template <typename T>
void convolve_directly(const KernelArgs& args, const Convolution3d& conv) {
  const GemmOutput output(args, true, conv.out_channels);
  const int64_t pixels = conv.spatial.out_cells(), channels = conv.out_channels;
  args.pool.parallel_for(conv.batch * pixels, 1, [&](int64_t begin, int64_t end) {
    for (int64_t index = begin; index < end; ++index) {
      const auto pixel = conv.pixel(index);
      for (int64_t channel = 0; channel < channels; ++channel) {
        const float sum = direct_sum<T>(args, conv, pixel, channel);
        const int64_t at = conv.channels_last ? index * channels + channel
                                              : (pixel.image * channels + channel) * pixels + index % pixels;
        output.store(std::span(&sum, 1), channel, at);
      }
    }
  });
}

Status conv3d(const KernelArgs& args) {
  NNRT_ASSIGN(const Convolution3d conv, convolution_3d_of(args.node));
  return dispatch_gemm_dtype(args.node.dtype(), [&]<typename T>(std::type_identity<T>) -> Status {
    if (!are_finite<T>(args, conv)) {
      convolve_directly<T>(args, conv);
      return {};
    }
    for (int64_t group = 0; group < conv.groups; ++group) {
      if (conv.channels_last) {
        convolve_inner<T>(args, conv, group);
      } else if (convolves_planes(conv)) {
        convolve_planes<T>(args, conv, group);
      } else {
        for (int64_t image = 0; image < conv.batch; ++image) convolve_outer<T>(args, conv, image, group);
      }
    }
    return {};
  });
}

constexpr KernelRow kConv3dKernels[] = {{Op::conv3d, conv3d}};

}  // namespace

std::span<const KernelRow> conv3d_kernels() { return kConv3dKernels; }

}  // namespace nnrt::cpu
