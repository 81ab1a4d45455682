#include "backends/cpu/element.h"
#include "backends/cpu/families.h"
#include "backends/cpu/window_taps.h"

#include <array>
#include <limits>

namespace nnrt::cpu {
namespace {

constexpr int64_t kBlock = 128;  // channels that a task takes at once
using Block = std::array<float, kBlock>;

// The part of one window that lies inside the input, for `count` channels.
struct Cells {
  const float* first;  // the first channel of the first cell
  int64_t rows, columns, row_step, column_step;
  int64_t count;
};

void max_of(const Cells& cells, float* result) {
  std::fill_n(result, cells.count, -std::numeric_limits<float>::infinity());
  for (int64_t y = 0; y < cells.rows; ++y) {
    for (int64_t x = 0; x < cells.columns; ++x) {
      const float* cell = cells.first + y * cells.row_step + x * cells.column_step;
      for (int64_t c = 0; c < cells.count; ++c) result[c] = result[c] < cell[c] ? cell[c] : result[c];
    }
  }
}

void mean_of(const Cells& cells, float* result) {
  std::fill_n(result, cells.count, 0.0f);
  for (int64_t y = 0; y < cells.rows; ++y) {
    Block row{};  // summed by itself: a large plane loses less to rounding
    for (int64_t x = 0; x < cells.columns; ++x) {
      const float* cell = cells.first + y * cells.row_step + x * cells.column_step;
      for (int64_t c = 0; c < cells.count; ++c) row[size_t(c)] += cell[c];
    }
    for (int64_t c = 0; c < cells.count; ++c) result[c] += row[size_t(c)];
  }
  const float size = float(cells.rows * cells.columns);
  for (int64_t c = 0; c < cells.count; ++c) result[c] /= size;
}

template <typename Combine>
Status pool(const KernelArgs& args, Combine combine) {
  NNRT_ASSIGN(const Window window, window_of(args.node));
  const FloatInput input(args, 0);
  FloatOutput output(args);
  const Activation activation = activation_of(args.node.attrs());
  const int64_t channels = args.node.shape(0)[3];
  const int64_t line = window.in[1] * channels;
  const int64_t blocks = (channels + kBlock - 1) / kBlock;
  const int64_t pixels = args.node.shape(0)[0] * window.out[0] * window.out[1];
  const int64_t work = window.kernel[0] * window.kernel[1] * std::min(channels, kBlock);
  args.pool.parallel_for(pixels * blocks, 1 + (1 << 14) / work, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t pixel = i / blocks;
      const int64_t channel = i % blocks * kBlock;
      const int64_t x = pixel % window.out[1];
      const int64_t y = pixel / window.out[1] % window.out[0];
      const int64_t n = pixel / window.out[1] / window.out[0];
      const TapRange rows = taps_inside(window, 0, y);
      const TapRange columns = taps_inside(window, 1, x);
      const int64_t top = n * window.in[0] + window_start(window, 0, y) + rows.begin;
      const int64_t left = window_start(window, 1, x) + columns.begin;
      float* result = output.data() + pixel * channels + channel;
      const int64_t count = std::min(kBlock, channels - channel);
      combine(Cells{input.data() + top * line + left * channels + channel, rows.count(), columns.count(),
                    line, channels, count},
              result);
      for (int64_t c = 0; c < count; ++c) result[c] = apply_activation(activation, result[c]);
    }
  });
  output.store();
  return {};
}

Status avg_pool(const KernelArgs& args) { return pool(args, mean_of); }
Status max_pool(const KernelArgs& args) { return pool(args, max_of); }

Status resize_bilinear(const KernelArgs& args) {
  const FloatInput input(args, 0);
  FloatOutput output(args);
  const Shape& in = args.node.shape(0);
  const Shape& out = args.node.output_shape(0);
  const int64_t mode = args.node.attrs().integer(Attr::coordinate_mode);
  const std::vector<Tap> vertical = resize_taps(in[1], out[1], mode);
  const std::vector<Tap> horizontal = resize_taps(in[2], out[2], mode);
  const int64_t channels = in[3];
  const int64_t line = in[2] * channels;
  const int64_t out_line = out[2] * channels;
  args.pool.parallel_for(out[0] * out[1], 1 + (1 << 13) / out_line, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const float* image = input.data() + row / out[1] * in[1] * line;
      const Tap& v = vertical[size_t(row % out[1])];
      const float* low = image + v.low * line;
      const float* high = image + v.high * line;
      float* to = output.data() + row * out_line;
      for (const Tap& h : horizontal) {
        const int64_t left = h.low * channels;
        const int64_t right = h.high * channels;
        for (int64_t c = 0; c < channels; ++c) {
          const float upper = (1 - h.t) * low[left + c] + h.t * low[right + c];
          const float lower = (1 - h.t) * high[left + c] + h.t * high[right + c];
          *to++ = (1 - v.t) * upper + v.t * lower;
        }
      }
    }
  });
  output.store();
  return {};
}

constexpr KernelRow kRows[] = {
    {Op::avg_pool, avg_pool},
    {Op::max_pool, max_pool},
    {Op::resize_bilinear, resize_bilinear},
};

}  // namespace

std::span<const KernelRow> window_kernels() { return kRows; }

}  // namespace nnrt::cpu
