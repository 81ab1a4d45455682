#include "backends/cpu/gemm/int8_gemm.h"

#include "backends/cpu/gemm/gemm_output.h"
#include "backends/cpu/gemm/matrix_rows.h"
#include "backends/cpu/int8/scaled_sums.h"
#include "backends/cpu/simd/panels.h"
#include "backends/cpu/simd/simd.h"
#include "core/base/shape.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace nnrt::cpu {
namespace {

int64_t steps_of(const GemmProblem& gemm) { return divide_up(gemm.tap_elements, kDotDepth); }

// The terms of all channels are stored as three arrays: offset, weight_zero, scale.
struct TermArrays {
  int32_t *offset, *weight_zero;
  float* scale;
};
TermArrays term_arrays(std::byte* at, int64_t channels) {
  auto* const numbers = reinterpret_cast<int32_t*>(at);
  return {numbers, numbers + channels, reinterpret_cast<float*>(numbers + 2 * channels)};
}

double factor_of(const KernelArgs& args) {
  return affine_of(args.node.input(0)).scale / affine_of(args.node.output(0)).scale;
}

// The last panel of a group may be narrow. With symmetric weights, its kernel needs no row sums.
int64_t wide_columns(const GemmProblem& gemm) {
  const int64_t rest = gemm.columns % kInt8PanelColumns;
  return rest > 0 && rest <= kInt32Lanes ? gemm.columns - rest : gemm.columns;
}

// The byte that a weight of 0 is stored as.
int32_t byte_of_zero(bool symmetric) { return symmetric ? 0 : kByteOfZero; }

int32_t weight_zero(const Quant& weight, bool symmetric, int64_t channel) {
  return weight.zero_points[weight.zero_points.size() == 1 ? 0 : size_t(channel)] + byte_of_zero(symmetric);
}

// How a node's weights are packed.
struct Packing {
  const KernelArgs& args;
  bool has_bias, symmetric;
  int32_t activation_of_zero;  // as the kernel's factor
};
int32_t activation_of_zero(bool symmetric) { return symmetric ? kActivationOfZero : 0; }

// Sets a channel's terms from the sum and number of its weights (as bytes). With zero points x (input) and w
// (weight): sum (a - x)(b - w) = sum ab - w sum a - x sum b + n x w.
void set_terms(const Packing& packing, int64_t channel, int64_t sum, int64_t count, const TermArrays& to,
               int64_t place) {
  const auto& [args, has_bias, symmetric, activation_of_zero] = packing;
  const int64_t input_zero = affine_of(args.node.input(0)).zero_point + activation_of_zero;
  const int64_t zero = weight_zero(args.node.input(1).quant, symmetric, channel);
  const int64_t bias = has_bias ? args.input<int32_t>(2)[channel] : 0;
  to.offset[place] = int32_t(uint32_t(bias - input_zero * sum + count * input_zero * zero));
  to.weight_zero[place] = int32_t(zero);
  to.scale[place] = float(sum_scale_of(args.node, size_t(channel)));
}

// The weights of a column: element k at data[k * step].
struct Column {
  const int8_t* data;
  int64_t step;
};
Column column_of(const GemmProblem& gemm, const int8_t* weights, int64_t column) {
  if (gemm.columns_first) return {weights + column * gemm.inner(), 1};
  return {weights + column, gemm.columns};
}

// Packs a column into its panel and returns the sum of its bytes.
int64_t pack_column(const GemmProblem& gemm, const Column& from, int32_t byte_of_zero, int64_t lanes,
                    int64_t lane, uint8_t* panel) {
  int64_t sum = 0;
  for (int64_t tap = 0; tap < gemm.taps; ++tap) {
    const int8_t* quantized = from.data + tap * gemm.tap_elements * from.step;
    uint8_t* to = panel + (tap * steps_of(gemm) * lanes + lane) * kDotDepth;
    for (int64_t k = 0; k < gemm.tap_elements; ++k) {
      const int32_t stored = quantized[k * from.step] + byte_of_zero;
      to[k / kDotDepth * lanes * kDotDepth + k % kDotDepth] = uint8_t(stored);
      sum += stored;
    }
  }
  return sum;
}

// Quads of consecutive weights are packed as if they were floats.
void pack_quads(const GemmProblem& gemm, const int8_t* weights, bool symmetric, ThreadPool& pool,
                uint8_t* to) {
  constexpr int kVectorBytes = kInt32Lanes * int(sizeof(int32_t));
  const PanelSource source{reinterpret_cast<const float*>(weights), gemm.columns, gemm.inner() / kDotDepth};
  const int64_t panel_bytes = gemm.inner() * kInt8PanelColumns,
                panels = divide_up(gemm.columns, kInt8PanelColumns);
  pool.parallel_for(panels, 1 + (1 << 17) / panel_bytes, [&](int64_t begin, int64_t end) {
    pack_columns(kVectorBytes, source, begin, end, reinterpret_cast<float*>(to));
    const int64_t columns = symmetric ? wide_columns(gemm) : gemm.columns;
    const int64_t last = std::min(end * kInt8PanelColumns, round_up(columns, kInt32Lanes));
    for (int64_t i = begin * panel_bytes; i < last * gemm.inner(); ++i) to[i] = uint8_t(to[i] ^ kByteOfZero);
  });
}

int64_t int8_group_bytes(const GemmProblem& gemm) {
  return row_quads(gemm) * kDotDepth * round_up(gemm.columns, kInt32Lanes);
}

// In the panels of one group.
int64_t group_bytes_of(const GemmProblem& gemm, Int8Kernel kernel) {
  return kernel == Int8Kernel::amx ? amx_group_bytes(gemm) : int8_group_bytes(gemm);
}

void make_amx_weights(const KernelArgs& args, const GemmProblem& gemm, const int8_t* weights, std::byte* to) {
  std::vector<int32_t> sums(size_t(gemm.channels()));
  pack_amx_weights(gemm, weights, args.pool, reinterpret_cast<int8_t*>(to), sums);
  make_int8_terms(args, gemm.has_bias, sums, 0, to + gemm.groups * amx_group_bytes(gemm));
}

void make_weights(const KernelArgs& args, const GemmProblem& gemm, const int8_t* weights, std::byte* to) {
  const int64_t group_bytes = int8_group_bytes(gemm), group_weights = gemm.columns * gemm.inner();
  const int64_t panel_bytes = row_quads(gemm) * kInt8PanelColumns * kDotDepth;
  const int64_t channels = gemm.channels();
  const bool symmetric = has_symmetric_weights(args.node);
  const int64_t wide = wide_columns(gemm);
  auto* const panels = reinterpret_cast<uint8_t*>(to);
  constexpr int64_t kMaxInner = int64_t{1} << 24;  // sums of weights fit in 32 bits
  const bool has_quads =
      gemm.columns_first && gemm.tap_elements % kDotDepth == 0 && gemm.inner() <= kMaxInner;
  // The bytes of missing columns have no effect; those past the end of a part must be zero.
  if (!has_quads) std::memset(to, 0, size_t(gemm.groups * group_bytes));
  for (int64_t group = 0; group < gemm.groups && has_quads; ++group)
    pack_quads(gemm, weights + group * group_weights, symmetric, args.pool, panels + group * group_bytes);
  const TermArrays terms = term_arrays(to + gemm.groups * group_bytes, channels);
  const int64_t grain = 1 + (1 << 15) / std::max<int64_t>(gemm.inner(), 1);
  args.pool.parallel_for(channels, grain, [&](int64_t begin, int64_t end) {
    for (int64_t channel = begin; channel < end; ++channel) {
      const int64_t group = channel / gemm.columns, column = channel % gemm.columns;
      const int64_t panel = column / kInt8PanelColumns;
      const bool is_narrow = column >= wide, flips = is_narrow && symmetric;
      const Packing packing{args, gemm.has_bias, flips, activation_of_zero(flips)};
      const int32_t zero = byte_of_zero(flips);
      const Column from = column_of(gemm, weights + group * group_weights, column);
      const int64_t sum =
          has_quads
              ? gemm.inner() * zero + std::accumulate(from.data, from.data + gemm.inner(), int32_t{0})
              : pack_column(gemm, from, zero, is_narrow ? kInt32Lanes : kInt8PanelColumns,
                            column % kInt8PanelColumns, panels + group * group_bytes + panel * panel_bytes);
      set_terms(packing, channel, sum, gemm.inner(), terms, channel);
    }
  });
}

}  // namespace

bool has_symmetric_weights(const NodeView& node) {
  return std::ranges::all_of(node.input(1).quant.zero_points, [](int32_t zero) { return zero == 0; });
}

int64_t int8_term_bytes(int64_t channels) { return channels * int64_t(2 * sizeof(int32_t) + sizeof(float)); }

void make_int8_terms(const KernelArgs& args, bool has_bias, std::span<const int32_t> weight_sums,
                     int32_t activation_of_zero, std::byte* to) {
  const TermArrays terms = term_arrays(to, int64_t(weight_sums.size()));
  for (size_t channel = 0; channel < weight_sums.size(); ++channel)
    set_terms({args, has_bias, true, activation_of_zero}, int64_t(channel), weight_sums[channel], 0, terms,
              int64_t(channel));
}

PrepackedBytes int8_weights(const KernelArgs& args, const GemmProblem& gemm, const int8_t* weights,
                            Int8Kernel kernel) {
  const int64_t bytes = gemm.groups * group_bytes_of(gemm, kernel) + int8_term_bytes(gemm.channels());
  const auto make = kernel == Int8Kernel::amx ? make_amx_weights : make_weights;
  return args.prepacked_from(1, size_t(bytes), [&](std::byte* to) { make(args, gemm, weights, to); });
}

Int8Epilogue int8_epilogue(const KernelArgs& args, const std::byte* prepacked, int64_t weight_bytes,
                           int64_t channels) {
  const Quant& weight = args.node.input(1).quant;
  const TermArrays arrays = term_arrays(const_cast<std::byte*>(prepacked) + weight_bytes, channels);
  const QuantizedBounds bounds = quantized_bounds(args.node.output(0), activation_of(args.node.attrs()));
  Int8Epilogue terms{arrays.offset, arrays.scale, arrays.weight_zero};
  terms.exact_scale = weight.scales.data();
  terms.exact_scales = int64_t(weight.scales.size());
  terms.exact_factor = factor_of(args);
  terms.zero_point = affine_of(args.node.output(0)).zero_point;
  terms.ties_to_even = affine_of(args.node.output(0)).ties_to_even;
  terms.symmetric = has_symmetric_weights(args.node);
  terms.low = bounds.low;
  terms.high = bounds.high;
  return terms;
}

Int8Group int8_group(const KernelArgs& args, const GemmProblem& gemm, const PrepackedBytes& prepacked,
                     int64_t group, Int8Kernel kernel) {
  const int64_t group_bytes = group_bytes_of(gemm, kernel);
  const int64_t panel_bytes = kernel == Int8Kernel::amx
                                  ? TileGroups(row_quads(gemm)).panel_bytes(kInt8PanelColumns)
                                  : row_quads(gemm) * kInt8PanelColumns * kDotDepth;
  return {int8_epilogue(args, prepacked.data, gemm.groups * group_bytes, gemm.channels()),
          prepacked.as<uint8_t>() + group * group_bytes, panel_bytes, group * gemm.columns};
}

WhyNot why_not_int8_dot(const NodeView& node) {
  if (node.dtype() != DType::i8) return "It supports only quantized INT8.";
  return has_int8_dot() ? WhyNot()
                        : "The processor has no INT8 dot products, or NNRT_TEST_CPU_ISA disables them.";
}

bool adds_residuals(const NodeView& node) {
  return has_int8_dot() && has_symmetric_weights(node) && node.output(0).dtype == DType::i8;
}

WhyNot why_not_amx(const KernelArgs& args, const GemmProblem& gemm, bool in_place) {
  const NodeView& node = args.node;
  if (node.dtype() != DType::i8) return "It supports only quantized INT8.";
  if (!has_amx()) return "The processor has no AMX, or NNRT_TEST_CPU_ISA disables it.";
  if (!has_symmetric_weights(node)) return "Zero points of the weights are not 0.";
  if (gemm.inner() == 0) return "There is nothing to sum.";
  constexpr int64_t kMinRows = 8;  // with fewer rows, loading the weights dominates
  if (args.shapes_stay && gemm.rows < kMinRows)
    return WhyNot::slower("It is slower with {} rows; it pays off from {}.", gemm.rows, kMinRows);
  // Per row: products, of which the dot products of panels of one vector take twice as long; and how many
  // could be computed by dot products while a line of a part is packed, and while a vector of sums goes from
  // its tile through memory.
  constexpr int64_t kLine = 64, kPackedLine = 1200;
  const int64_t stored_sums = node.output(0).dtype == DType::i32 ? 700 : 300;
  const int64_t vectors = divide_up(gemm.columns, kInt32Lanes);
  const int64_t lines = in_place ? 0 : gemm.taps * divide_up(gemm.tap_elements, kLine);
  const int64_t products = row_quads(gemm) * kDotDepth * kInt32Lanes * std::max<int64_t>(vectors, 2);
  if (products < lines * kPackedLine + vectors * stored_sums)
    return WhyNot::slower("It is slower with {} products per row.", gemm.inner() * gemm.columns);
  return {};
}

namespace {

bool has_depthwise_columns(const NodeView& node, const SpatialParams& spatial) {
  return has_symmetric_weights(node) &&
         depthwise_columns(spatial.kernel[0], spatial.kernel[1], spatial.stride[1], 1) != nullptr;
}

}  // namespace

DepthwiseWeights depthwise_int8_weights(const KernelArgs& args, const SpatialParams& spatial) {
  const Shape& shape = args.node.shape(1);
  const int64_t channels = shape[0], height = shape[1], width = shape[2], taps = height * width;
  const bool by_columns = has_depthwise_columns(args.node, spatial);
  const int64_t pixels = by_columns && channels <= kDepthwiseChannels / 2 ? kDepthwiseChannels / channels : 1;
  const int64_t column_quads = divide_up(height, kDotDepth);
  const int64_t quads = by_columns ? width * column_quads : divide_up(taps, kDotDepth);
  const int64_t places = round_up(channels, kDepthwiseChannels);
  const int64_t weight_bytes = places * quads * kDotDepth;
  // Where a tap is: its quad and its place in the quad.
  const auto place_of = [&](int64_t tap) -> std::pair<int64_t, int64_t> {
    if (!by_columns) return {tap / kDotDepth, tap % kDotDepth};
    const int64_t u = tap / width, v = tap % width;
    return {v * column_quads + u / kDotDepth, u % kDotDepth};
  };
  PrepackedBytes packed =
      args.prepacked_from(1, size_t(weight_bytes + int8_term_bytes(places)), [&](std::byte* to) {
        std::memset(to, 0, size_t(weight_bytes + int8_term_bytes(places)));
        const TermArrays terms = term_arrays(to + weight_bytes, places);
        const Packing packing{args, args.node.input_count() > 2, by_columns, activation_of_zero(by_columns)};
        for (int64_t i = 0; i < channels * pixels; ++i) {
          const int64_t channel = i % channels, block = i / kDepthwiseChannels;
          const int in_block = int(i % kDepthwiseChannels);
          const int32_t zero = weight_zero(args.node.input(1).quant, by_columns, channel);
          const int8_t* quantized = args.input<int8_t>(1) + channel * taps;
          auto* const of_block = reinterpret_cast<uint8_t*>(to) + block * quads * 256;
          // A missing tap has weight 0.
          for (int64_t quad = 0; quad < quads; ++quad)
            for (int tap = 0; tap < kDotDepth; ++tap)
              of_block[quad * 256 + depthwise_weight_offset(in_block, tap)] = uint8_t(zero);
          int64_t sum = (quads * kDotDepth - taps) * zero;
          for (int64_t tap = 0; tap < taps; ++tap) {
            const int32_t stored = quantized[tap] + byte_of_zero(by_columns);
            const auto [quad, in_quad] = place_of(tap);
            of_block[quad * 256 + depthwise_weight_offset(in_block, int(in_quad))] = uint8_t(stored);
            sum += stored;
          }
          const int64_t place = depthwise_weight_offset(in_block, 0);
          set_terms(packing, channel, sum, quads * kDotDepth, terms,
                    block * kDepthwiseChannels + place / 64 * kInt32Lanes + place % 64 / 4);
        }
      });
  Int8Epilogue terms = int8_epilogue(args, packed.data, weight_bytes, places);
  terms.interleaved = true;
  terms.symmetric = by_columns;
  return {std::move(packed), terms, quads, by_columns, pixels};
}

Status prepack_matmul_int8(const MatMulProblem& problem, Int8Kernel kernel) {
  const GemmProblem gemm = gemm_problem_of(problem.work, problem.has_bias);
  static_cast<void>(int8_weights(problem.args, gemm, problem.args.input<int8_t>(1), kernel));
  return {};
}

namespace {

template <typename To>
Status multiply_batches(const MatMulProblem& problem, Int8Kernel kernel) {
  const auto& [args, work, has_bias] = problem;
  const GemmProblem gemm = gemm_problem_of(work, has_bias);
  const int64_t batches = nnrt::product(work.batch, 0, work.batch.size());
  for (int64_t batch = 0; batch < batches; ++batch) {
    const int64_t a = offset_of(batch, work.batch, work.batch_stride_a) * work.rows * work.inner;
    const int64_t b = offset_of(batch, work.batch, work.batch_stride_b) * work.inner * work.columns;
    const PrepackedBytes prepacked = int8_weights(args, gemm, args.input<int8_t>(1) + b, kernel);
    multiply_int8(args, gemm, int8_group(args, gemm, prepacked, 0, kernel), kernel,
                  MatrixRows<int8_t>{args.input<int8_t>(0) + a, work.rows, work.inner, work.transpose_a},
                  args.output<To>() + batch * work.rows * work.columns, work.columns);
  }
  return {};
}

}  // namespace

Status matmul_int8_scaled(const MatMulProblem& problem, const SumScaling& scaling, Int8Kernel kernel) {
  const auto& [args, work, has_bias] = problem;
  const GemmProblem gemm = gemm_problem_of(work, has_bias);
  const PrepackedBytes prepacked = int8_weights(args, gemm, args.input<int8_t>(1), kernel);
  Int8Group group = int8_group(args, gemm, prepacked, 0, kernel);
  group.terms.scaling = &scaling;
  multiply_int8(args, gemm, group, kernel,
                MatrixRows<int8_t>{args.input<int8_t>(0), work.rows, work.inner, work.transpose_a},
                args.output<int32_t>(), gemm.columns);
  return {};
}

Status matmul_int8(const MatMulProblem& problem, Int8Kernel kernel) {
  const bool sums = problem.args.node.output(0).dtype == DType::i32;
  return sums ? multiply_batches<int32_t>(problem, kernel) : multiply_batches<int8_t>(problem, kernel);
}

}  // namespace nnrt::cpu
