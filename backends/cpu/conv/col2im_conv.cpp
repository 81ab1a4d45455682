#include "backends/cpu/conv/transposed_conv.h"
#include "backends/cpu/gemm/f32_gemm.h"

#include <algorithm>
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
  const auto first_from = [&](int64_t place) { return place <= 0 ? 0 : divide_up(place, stride); };
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
    const float* const bias = args.node.input_count() > 2 ? args.input<float>(2) : nullptr;
    for (int64_t x = 0; x < conv.spatial.out[1]; ++x)
      for (int64_t c = 0; c < conv.out_channels; ++c) empty_line_.push_back(bias == nullptr ? 0.0f : bias[c]);
    runs_ = runs_of(1, {0, conv.spatial.out[1]}, 0);
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
  // Floats of a column that are added to neighboring floats of the output.
  struct Run {
    Range cells;    // whose columns have them
    int64_t first;  // the output cell that the first of them reaches
    int64_t step;   // from there to the next one's
    int64_t from, length;
  };

  // The runs of all taps along an axis; input cells and output cells count from `in` and out.begin.
  std::vector<Run> runs_of(size_t axis, Range out, int64_t in) const {
    const SpatialParams& spatial = conv_.spatial;
    const int64_t kernel = spatial.kernel[axis], stride = spatial.stride[axis];
    const auto cells_under = [&](int64_t tap) { return cells_reaching(spatial, axis, tap, out); };
    std::vector<Run> runs;
    const auto add = [&](Range cells, int64_t tap, int64_t taps) {
      if (cells.begin >= cells.end) return;
      const int64_t first =
          cells.begin * stride + tap * spatial.dilation[axis] - spatial.before[axis] - out.begin;
      runs.push_back(
          {{cells.begin - in, cells.end - in}, first, stride, tap * conv_.group_out, taps * conv_.group_out});
    };
    // Taps that reach different output cells.
    const int64_t apart = spatial.dilation[axis] == 1 && conv_.groups == 1 ? std::min(stride, kernel) : 1;
    for (int64_t tap = 0, end = 0; tap < kernel; tap = end) {
      end = std::min(tap + apart, kernel);
      const Range first = cells_under(tap), last = cells_under(end - 1);
      const Range common{first.begin, std::max(first.begin, last.end)};
      add(common, tap, end - tap);
      for (int64_t each = tap; each < end; ++each) {
        const Range cells = cells_under(each);
        add({cells.begin, std::min(cells.end, common.begin)}, each, 1);
        add({std::max(cells.begin, common.end), cells.end}, each, 1);
      }
    }
    return runs;
  }

  // True for images of width 1, whose tiles are lines.
  bool is_upright() const {
    const SpatialParams& spatial = conv_.spatial;
    return spatial.in[1] == 1 && spatial.out[1] == 1 && spatial.kernel[1] == 1 && spatial.before[1] == 0;
  }

  void compute(int64_t image, Range out, float* columns) const {
    const SpatialParams& spatial = conv_.spatial;
    const Range in{cells_reaching(spatial, 0, spatial.kernel[0] - 1, out).begin,
                   cells_reaching(spatial, 0, 0, out).end};
    const int64_t row = line_floats(), at = (image * spatial.out[0] + out.begin) * row;
    float* const to = args_.output<float>() + at;
    const int64_t count = (out.end - out.begin) * row;
    std::ranges::copy(empty_line_, to);
    for (int64_t done = row; done < count; done *= 2)
      std::copy_n(to, std::min(done, count - done), to + done);
    for (int64_t group = 0; group < conv_.groups; ++group) {
      multiply(image, in, group, columns);
      add_lines(image, out, in, group, columns);
    }
    const F32Epilogue epilogue = end_.epilogue(nullptr, 0);
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

  void add_line(int64_t y, Range in, const float* columns, float* to) const {
    const SpatialParams& spatial = conv_.spatial;
    for (int64_t u = 0; u < spatial.kernel[0]; ++u) {
      const int64_t in_y = conv_.source(0, y, u);
      if (in_y < 0) continue;
      const float* const line =
          columns + (in_y - in.begin) * spatial.in[1] * columns_ + u * spatial.kernel[1] * conv_.group_out;
      for (const Run& run : runs_) add_run(run, line, to);
    }
  }

  void add_run(const Run& run, const float* line, float* to) const {
    switch (run.length) {
      case 1: return add_floats<1>(run, line, to);
      case 2: return add_floats<2>(run, line, to);
      case 3: return add_floats<3>(run, line, to);
      case 4: return add_floats<4>(run, line, to);
      case 6: return add_floats<6>(run, line, to);
      case 8: return add_floats<8>(run, line, to);
      default: add_floats<0>(run, line, to);
    }
  }

  // `Length`: the run's if known, otherwise 0.
  template <int64_t Length>
  void add_floats(const Run& run, const float* line, float* __restrict to) const {
    const int64_t length = Length > 0 ? Length : run.length;
    const int64_t step = run.step * conv_.out_channels, from_step = columns_;
    const float* from = line + run.cells.begin * from_step + run.from;
    to += run.first * conv_.out_channels;
    for (int64_t x = run.cells.begin; x < run.cells.end; ++x, to += step, from += from_step)
      for (int64_t c = 0; c < length; ++c) to[c] += from[c];
  }

  void add_lines(int64_t image, Range out, Range in, int64_t group, const float* columns) const {
    const SpatialParams& spatial = conv_.spatial;
    float* to = args_.output<float>() + (image * spatial.out[0] + out.begin) * line_floats() +
                group * conv_.group_out;
    if (is_upright()) {
      for (const Run& run : runs_of(0, out, in.begin)) add_run(run, columns, to);
      return;
    }
    for (int64_t y = out.begin; y < out.end; ++y, to += line_floats()) add_line(y, in, columns, to);
  }

  int64_t line_floats() const { return int64_t(empty_line_.size()); }

  const KernelArgs& args_;
  const Convolution conv_;
  const float* filters_;
  int64_t columns_;                // of one group
  std::vector<float> empty_line_;  // of the output, with the bias
  std::vector<Run> runs_;          // of a line
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
