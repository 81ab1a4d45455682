#include "backends/cpu/conv/transposed_conv.h"
#include "backends/cpu/gemm/f32_gemm.h"

#include <utility>

namespace nnrt::cpu {
namespace {

// Columns [tap][channel] of one group.
GemmProblem gemm_problem_of(const Convolution& conv) {
  GemmProblem gemm;
  gemm.groups = conv.groups;
  gemm.columns = conv.spatial.kernel[0] * conv.spatial.kernel[1] * conv.group_out;
  gemm.tap_elements = conv.group_in;
  return gemm;
}

// [channel][tap][group_in] -> [tap][channel][group_in] in each group.
std::vector<float> taps_first(const Convolution& conv, const float* weights) {
  const int64_t taps = conv.spatial.kernel[0] * conv.spatial.kernel[1], inner = conv.group_in;
  std::vector<float> sorted(size_t(conv.out_channels * conv.inner()));
  float* to = sorted.data();
  for (int64_t group = 0; group < conv.groups; ++group)
    for (int64_t tap = 0; tap < taps; ++tap)
      for (int64_t c = 0; c < conv.group_out; ++c, to += inner)
        std::copy_n(weights + ((group * conv.group_out + c) * taps + tap) * inner, inner, to);
  return sorted;
}

PrepackedBytes filters_of(const KernelArgs& args, const Convolution& conv) {
  const GemmProblem gemm = gemm_problem_of(conv);
  return args.prepacked_of(1, 1, f32_weight_bytes(gemm), [&](std::byte* memory) {
    write_f32_weights(args, gemm, taps_first(conv, args.input<float>(1)).data(), false, memory);
  });
}

// Turns images of height 1 into images of width 1: the layout is the same, and tiles split the height.
Convolution upright(Convolution conv) {
  SpatialParams& spatial = conv.spatial;
  if (spatial.in[0] != 1 || spatial.out[0] != 1 || spatial.kernel[0] != 1 || spatial.before[0] != 0)
    return conv;
  for (auto* const pair :
       {&spatial.in, &spatial.kernel, &spatial.stride, &spatial.dilation, &spatial.before, &spatial.out})
    std::swap((*pair)[0], (*pair)[1]);
  return conv;
}

struct Range {
  int64_t begin = 0, end = 0;
};

// The input cells that contribute to output cells [out.begin, out.end) through `tap`.
Range cells_reaching(const SpatialParams& spatial, size_t axis, int64_t tap, Range out) {
  const int64_t stride = spatial.stride[axis], reach = spatial.before[axis] - tap * spatial.dilation[axis];
  const auto first_from = [&](int64_t place) { return place <= 0 ? 0 : (place + stride - 1) / stride; };
  const int64_t end = std::min(first_from(out.end + reach), spatial.in[axis]);
  return {std::min(first_from(out.begin + reach), end), end};
}

class Col2imConv {
 public:
  Col2imConv(const KernelArgs& args, const Convolution& conv, const PrepackedBytes& filters)
      : args_(args),
        conv_(conv),
        filters_(filters.as<float>()),
        columns_(conv.spatial.kernel[0] * conv.spatial.kernel[1] * conv.group_out),
        end_(args, false) {
    const SpatialParams& spatial = conv.spatial;
    for (int64_t v = 0; v < spatial.kernel[1]; ++v) {
      const Range cells = cells_reaching(spatial, 1, v, {0, spatial.out[1]});
      taps_.push_back({cells, cells.begin * spatial.stride[1] + v * spatial.dilation[1] - spatial.before[1]});
    }
  }

  void run() const {
    const SpatialParams& spatial = conv_.spatial;
    const int64_t lines = tile_lines(), tiles = divide_up(spatial.out[0], lines);
    const size_t bytes = size_t(tile_input(lines) * spatial.in[1] * columns_) * sizeof(float);
    args_.scratch->reserve(args_.pool.threads(), bytes);
    constexpr int64_t kGrain = 1 << 18;  // products
    const int64_t work = lines * spatial.in[1] * columns_ * conv_.in_channels / spatial.stride[0];
    args_.pool.parallel_for(conv_.batch * tiles, 1 + kGrain / std::max<int64_t>(work, 1),
                            [&](int64_t begin, int64_t end, unsigned worker) {
                              auto* const columns =
                                  reinterpret_cast<float*>(args_.scratch->of_worker(worker, bytes));
                              for (int64_t task = begin; task < end; ++task) {
                                const int64_t y = task % tiles * lines;
                                compute(task / tiles, {y, std::min(y + lines, spatial.out[0])}, columns);
                              }
                            });
  }

  // The most input lines that a tile of output lines reads.
  int64_t tile_input(int64_t lines) const {
    const SpatialParams& spatial = conv_.spatial;
    const int64_t reach = (spatial.kernel[0] - 1) * spatial.dilation[0];
    return std::min((lines + reach) / spatial.stride[0] + 1, spatial.in[0]);
  }

  // Output lines per task. Input lines that neighboring tiles share are multiplied twice.
  int64_t tile_lines() const {
    constexpr int64_t kBytes = int64_t{192} * 1024;  // of columns; fit in L2
    const SpatialParams& spatial = conv_.spatial;
    const int64_t shared = (spatial.kernel[0] - 1) * spatial.dilation[0] / spatial.stride[0];
    const int64_t cached = kBytes / (spatial.in[1] * columns_ * int64_t(sizeof(float)));
    int64_t lines = std::max(cached - shared, 1 + 4 * shared);
    if (args_.pool.threads() > 1) {
      const int64_t even = divide_up(spatial.in[0] * conv_.batch, 2 * args_.pool.threads());
      lines = std::min(lines, std::max(even, 1 + 4 * shared));
    }
    // No overflow: strides may be as large as INT32_MAX.
    return std::min(lines * spatial.stride[0], spatial.out[0]);
  }

 private:
  struct Tap {
    Range cells;    // of an input line
    int64_t first;  // the output cell that the first of them reaches
  };

  void compute(int64_t image, Range out, float* columns) const {
    const SpatialParams& spatial = conv_.spatial;
    const Range in{cells_reaching(spatial, 0, spatial.kernel[0] - 1, out).begin,
                   cells_reaching(spatial, 0, 0, out).end};
    for (int64_t group = 0; group < conv_.groups; ++group) {
      multiply(image, in, group, columns);
      add_lines(image, out, in, group, columns);
    }
    const F32Epilogue epilogue = end_.epilogue(nullptr, 0);
    const int64_t row = spatial.out[1] * conv_.out_channels, at = (image * spatial.out[0] + out.begin) * row;
    const int64_t count = (out.end - out.begin) * row;
    float* const to = args_.output<float>() + at;
    for (int64_t i = 0; i < count; ++i)
      to[i] = to[i] < epilogue.low ? epilogue.low : to[i] > epilogue.high ? epilogue.high : to[i];
    end_.apply_rest(at, 1, count, count);
  }

  void multiply(int64_t image, Range lines, int64_t group, float* columns) const {
    const auto [height, width] = conv_.spatial.in;
    const GemmProblem gemm = gemm_problem_of(conv_);
    const int64_t group_floats = f32_group_floats(gemm);
    const float* const zeros = filters_ + gemm.groups * group_floats;  // no bias
    const float* const first = args_.input<float>(0) +
                               (image * height + lines.begin) * width * conv_.in_channels +
                               group * conv_.group_in;
    const Rows rows{first, conv_.in_channels, std::max<int64_t>(lines.end - lines.begin, 0) * width,
                    conv_.group_in};
    if (rows.count > 0)
      multiply_rows(rows, filters_ + group * group_floats, columns_, zeros, {columns, columns_, false});
  }

  // `Channels`: the group's output channels if known, otherwise 0.
  template <int64_t Channels>
  void add_line(int64_t image, int64_t y, Range in, int64_t group, const float* columns) const {
    const SpatialParams& spatial = conv_.spatial;
    const int64_t channels = Channels > 0 ? Channels : conv_.group_out, first = group * conv_.group_out;
    float* const to =
        args_.output<float>() + (image * spatial.out[0] + y) * spatial.out[1] * conv_.out_channels + first;
    const float* const bias = args_.node.input_count() > 2 ? args_.input<float>(2) + first : nullptr;
    for (int64_t x = 0; x < spatial.out[1]; ++x)
      for (int64_t c = 0; c < channels; ++c)
        to[x * conv_.out_channels + c] = bias == nullptr ? 0.0f : bias[c];
    for (int64_t u = 0; u < spatial.kernel[0]; ++u) {
      const int64_t in_y = conv_.source(0, y, u);
      if (in_y < 0) continue;
      const float* line =
          columns + (in_y - in.begin) * spatial.in[1] * columns_ + u * spatial.kernel[1] * channels;
      for (const Tap& tap : taps_) {
        add_tap<Channels>(tap, line, to);
        line += channels;
      }
    }
  }

  // Adds the columns of one tap at one input line.
  template <int64_t Channels>
  void add_tap(const Tap& tap, const float* columns, float* to) const {
    const int64_t channels = Channels > 0 ? Channels : conv_.group_out;
    const int64_t step = conv_.spatial.stride[1] * conv_.out_channels, from_step = columns_;
    to += tap.first * conv_.out_channels;
    const float* from = columns + tap.cells.begin * from_step;
    for (int64_t x = tap.cells.begin; x < tap.cells.end; ++x, to += step, from += from_step)
      for (int64_t c = 0; c < channels; ++c) to[c] += from[c];
  }

  void add_lines(int64_t image, Range out, Range in, int64_t group, const float* columns) const {
    for (int64_t y = out.begin; y < out.end; ++y) {
      switch (conv_.group_out) {
        case 1: add_line<1>(image, y, in, group, columns); break;
        case 2: add_line<2>(image, y, in, group, columns); break;
        case 3: add_line<3>(image, y, in, group, columns); break;
        default: add_line<0>(image, y, in, group, columns);
      }
    }
  }

  const KernelArgs& args_;
  const Convolution conv_;
  const float* filters_;
  int64_t columns_;        // of one group
  std::vector<Tap> taps_;  // of a line
  F32OutputEpilogue end_;
};

}  // namespace

WhyNot why_not_col2im(const KernelArgs& args, const Convolution& conv) {
  // Costs of adding a result and of locating a tap, in vector products.
  constexpr int64_t kAdd = 2, kTap = 4;
  if (!conv.transposed) return "It supports only transposed convolutions.";
  if (args.node.dtype() != DType::f32) return "It supports only FLOAT32.";
  const int64_t lanes = f32_block(vector_bytes()).lanes;
  const int64_t taps = conv.spatial.kernel[0] * conv.spatial.kernel[1], results = taps * conv.group_out;
  const int64_t cost = conv.group_in * divide_up(results, lanes) + kAdd * results;
  const int64_t subpixel_cost = taps * (conv.group_in * divide_up(conv.group_out, lanes) + kTap);
  if (cost >= subpixel_cost)
    return WhyNot::slower("It is slower with {} input and {} output channels per group.", conv.group_in,
                          conv.group_out);
  return {};
}

Status prepack_col2im(const KernelArgs& args, const Convolution& conv) {
  static_cast<void>(filters_of(args, conv));
  return {};
}

Status convolve_col2im(const KernelArgs& args, const Convolution& conv) {
  const PrepackedBytes filters = filters_of(args, conv);
  Col2imConv(args, upright(conv), filters).run();
  return {};
}

}  // namespace nnrt::cpu
