#include "backends/cpu/gemm/f32_gemm.h"

#include "backends/cpu/base/activation_bounds.h"
#include "backends/cpu/base/element.h"
#include "backends/cpu/gemm/generic_microkernel.h"
#include "backends/cpu/simd/elementwise_loops.h"
#include "backends/cpu/simd/panels.h"
#include "backends/cpu/simd/vector_math.h"
#include "core/passes/winograd_range.h"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

namespace nnrt::cpu {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Returns whether a post-op is a clamp, and sets `bounds`.
bool clamps(const PostOp& step, FloatBounds& bounds) {
  if (step.op != Op::relu && step.op != Op::relu6) return false;
  bounds = bounds_of(step.op == Op::relu ? Activation::relu : Activation::relu6);
  return true;
}

}  // namespace

int64_t f32_group_floats(const GemmProblem& gemm) {
  const int64_t lanes = f32_block(gemm.vectors).lanes;
  return round_up(gemm.columns, lanes) * gemm.inner();
}

void pack_f32(const GemmProblem& gemm, const float* weights, ThreadPool& pool, float* to) {
  constexpr int64_t kGrain = 1 << 15;  // floats worth a task
  const PanelSource source{weights, gemm.columns, gemm.inner()};
  const int vectors = gemm.vectors;
  if (gemm.columns_first) {
    const int64_t columns = f32_block(vectors).columns;
    pool.parallel_for(divide_up(gemm.columns, columns), 1 + kGrain / (gemm.inner() * columns),
                      [&](int64_t begin, int64_t end) { pack_columns(vectors, source, begin, end, to); });
  } else {
    pool.parallel_for(gemm.inner(), 1 + kGrain / gemm.columns,
                      [&](int64_t begin, int64_t end) { pack_lines(vectors, source, begin, end, to); });
  }
}

namespace {

// Offsets into f32_weights(), in floats.
struct WeightPlaces {
  explicit WeightPlaces(const GemmProblem& gemm)
      : group_floats(f32_group_floats(gemm)),
        bias(gemm.groups * group_floats),
        magnitude(bias + gemm.channels() + f32_block(gemm.vectors).lanes) {}

  int64_t group_floats, bias, magnitude;
};

}  // namespace

size_t f32_weight_bytes(const GemmProblem& gemm) {
  return size_t(WeightPlaces(gemm).magnitude + 1) * sizeof(float);
}

namespace {

// The same as pack_f32() for weights [columns][inner / taps][taps].
void pack_taps_last(const GemmProblem& gemm, const float* weights, int64_t taps, ThreadPool& pool,
                    float* to) {
  const int vectors = gemm.vectors;
  const int64_t columns = f32_block(vectors).columns, inner = gemm.inner();
  pool.parallel_for(divide_up(gemm.columns, columns), 1, [&](int64_t begin, int64_t end) {
    std::vector<float> sorted(size_t(columns * inner));
    for (int64_t panel = begin; panel < end; ++panel) {
      const int64_t first = panel * columns, count = std::min(columns, gemm.columns - first);
      float* next = sorted.data();
      for (int64_t column = first; column < first + count; ++column) {
        const float* const from = weights + column * inner;
        for (int64_t tap = 0; tap < taps; ++tap)
          for (int64_t i = tap; i < inner; i += taps) *next++ = from[i];
      }
      pack_columns(vectors, {sorted.data(), count, inner}, 0, 1, to + first * inner);
    }
  });
}

// `pack` packs the weights of a group.
template <typename Pack>
void write_groups(const KernelArgs& args, const GemmProblem& gemm, const float* weights, bool finds_magnitude,
                  std::byte* memory, const Pack& pack) {
  const WeightPlaces places(gemm);
  auto* const to = reinterpret_cast<float*>(memory);
  const int64_t group_weights = gemm.columns * gemm.inner();
  GemmProblem one = gemm;
  for (int64_t group = 0; group < gemm.groups; ++group) {
    one.columns = gemm.columns_of(group);
    pack(one, weights + group * group_weights, args.pool, to + group * places.group_floats);
  }
  std::fill(to + places.bias, to + places.magnitude, 0.0f);
  if (gemm.has_bias) std::copy_n(args.input<float>(2), gemm.channels(), to + places.bias);
  to[places.magnitude] =
      finds_magnitude ? max_magnitude({weights, size_t(gemm.channels() * gemm.inner())}) : 0.0f;
}

}  // namespace

void write_f32_weights(const KernelArgs& args, const GemmProblem& gemm, const float* weights,
                       bool finds_magnitude, std::byte* memory) {
  write_groups(args, gemm, weights, finds_magnitude, memory, pack_f32);
}

void write_f32_weights_taps_last(const KernelArgs& args, const GemmProblem& gemm, const float* weights,
                                 int64_t taps, bool finds_magnitude, std::byte* memory) {
  write_groups(args, gemm, weights, finds_magnitude, memory,
               [taps](const GemmProblem& group, const float* from, ThreadPool& pool, float* to) {
                 pack_taps_last(group, from, taps, pool, to);
               });
}

PrepackedBytes f32_weights(const KernelArgs& args, const GemmProblem& gemm, const float* weights,
                           bool finds_magnitude) {
  return args.prepacked_from(1, f32_weight_bytes(gemm), [&](std::byte* memory) {
    write_f32_weights(args, gemm, weights, finds_magnitude, memory);
  });
}

float magnitude_of(const PrepackedBytes& weights, const GemmProblem& gemm) {
  return weights.as<float>()[WeightPlaces(gemm).magnitude];
}

F32OutputEpilogue::F32OutputEpilogue(const KernelArgs& args, bool loop_adds) : args_(args) {
  const FloatBounds own = bounds_of(activation_of(args.node.attrs()));
  first_.low = own.low;
  first_.high = own.high;
  const std::vector<PostOp>& steps = args.node.node().post_ops;
  FloatBounds after;
  if (steps.empty()) return;
  if (own.low == -kInfinity && clamps(steps[0], after)) {
    first_.low = after.low;
    first_.high = after.high;
    in_loop_ = 1;
  } else if (loop_adds && steps[0].op == Op::add &&
             args.node.shape(*steps[0].other) == args.node.output_shape()) {
    first_.other = args.input<float>(*steps[0].other);
    in_loop_ = steps.size() > 1 && clamps(steps[1], after) ? 2 : 1;
    first_.other_low = after.low;
    first_.other_high = after.high;
  }
}

F32Epilogue F32OutputEpilogue::epilogue(const float* bias, int64_t at) const {
  F32Epilogue epilogue = first_;
  epilogue.bias = bias;
  if (epilogue.other != nullptr) epilogue.other += at;
  return epilogue;
}

void F32OutputEpilogue::apply_rest(float* results, int64_t at, int64_t rows, int64_t columns,
                                   int64_t stride) const {
  const std::vector<PostOp>& steps = args_.node.node().post_ops;
  if (columns == stride) {  // contiguous
    columns *= rows;
    rows = 1;
  }
  for (size_t i = in_loop_; i < steps.size(); ++i) {
    for (int64_t r = 0; r < rows; ++r) {
      const float* const other =
          steps[i].other ? args_.input<float>(*steps[i].other) + at + r * stride : nullptr;
      apply_post_op(steps[i], results + r * stride, other, columns);
    }
  }
}

void F32OutputEpilogue::store_row(std::span<const float> sums, const float* bias, int64_t at) const {
  const auto count = int64_t(sums.size());
  const F32Epilogue row = epilogue(bias, at);
  const auto store = [ from = sums.data(), to = args_.output<float>() + at, count, row ](auto)
      __attribute__((always_inline)) {
    for (int64_t i = 0; i < count; ++i) {
      float sum = from[i] + (row.bias != nullptr ? row.bias[i] : 0.0f);
      clamp_to(sum, row.low, row.high);
      if (row.other != nullptr) {
        sum += row.other[i];
        clamp_to(sum, row.other_low, row.other_high);
      }
      to[i] = sum;
    }
  };
  with_vectors(vector_bytes(), store);
  apply_rest(at, 1, count, count);
}

namespace {
constexpr int64_t kNarrowRows = 4;  // packing the right operand does not pay off up to this many rows
}

bool is_narrow(const GemmProblem& gemm) {
  return gemm.groups == 1 && gemm.taps == 1 && gemm.rows <= kNarrowRows;
}

namespace {

constexpr int64_t kNarrowSums = 4096;
using NarrowSums = std::array<float, size_t(kNarrowSums)>;

// Columns of a task. All threads get the same number of tasks.
int64_t narrow_columns(const GemmProblem& gemm, int64_t threads, int64_t max_columns) {
  constexpr int64_t kGrain = int64_t{32} * 1024;  // products worth a task
  if (gemm.columns_first) return std::clamp<int64_t>(divide_up(kGrain, gemm.inner()), 1, max_columns);
  // Processors prefetch within pages, so rows of a matrix [inner][columns] are read in long pieces.
  constexpr int64_t kLongPiece = 256, kLine = 16;
  const int64_t per_thread = divide_up(gemm.columns, threads);
  const int64_t pieces =
      std::max(divide_up(per_thread, max_columns), std::min<int64_t>(per_thread / kLongPiece, 2));
  const int64_t piece = round_up(divide_up(per_thread, std::max<int64_t>(pieces, 1)), kLine);
  return std::min(std::max(piece, divide_up(kGrain, gemm.inner())), max_columns);
}

}  // namespace

void multiply_narrow(const KernelArgs& args, const GemmProblem& gemm, const float* rows, const float* weights,
                     float* to) {
  const int64_t inner = gemm.inner();
  const int vectors = vector_bytes();
  const int64_t chunk = kNarrowSums / std::min(kNarrowRows, gemm.rows);  // columns at once
  const F32OutputEpilogue epilogue(args);
  const int64_t first = to - args.output<float>();
  const float* const bias = gemm.has_bias ? args.input<float>(2) : nullptr;
  const auto multiply = [&](const NarrowRows& block, int64_t from, int64_t count, float* sums) {
    if (!gemm.columns_first && gemm.columns > 1)
      return line_products(vectors, block, weights + from, gemm.columns, count, sums, chunk);
    for (int64_t row = 0; row < block.count; ++row)
      inner_products(vectors, block.data + row * inner, weights + from * inner, inner, count,
                     sums + row * chunk);
  };
  const auto store = [&](int64_t row, int64_t from, int64_t count, const float* sums) {
    epilogue.store_row({sums, size_t(count)}, bias != nullptr ? bias + from : nullptr,
                       first + row * gemm.columns + from);
  };
  const int64_t piece = narrow_columns(gemm, args.pool.threads(), chunk);
  args.pool.parallel_for(divide_up(gemm.columns, piece), 1, [&](int64_t begin, int64_t end) {
    NarrowSums sums;  // not in the output, which may alias an operand of the epilogue
    const int64_t until = std::min(end * piece, gemm.columns);
    for (int64_t from = begin * piece; from < until; from += chunk) {
      const int64_t count = std::min(until - from, chunk);
      for (int64_t row = 0; row < gemm.rows; row += kNarrowRows) {
        const int64_t block_rows = std::min(kNarrowRows, gemm.rows - row);
        multiply({rows + row * inner, block_rows, inner}, from, count, sums.data());
        for (int64_t r = 0; r < block_rows; ++r) store(row + r, from, count, sums.data() + r * chunk);
      }
    }
  });
}

}  // namespace nnrt::cpu
