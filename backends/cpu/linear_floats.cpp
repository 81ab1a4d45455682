#include "backends/cpu/linear_floats.h"

#include "backends/cpu/element.h"
#include "backends/cpu/float_bounds.h"
#include "backends/cpu/float_steps.h"
#include "backends/cpu/linear_block.h"

#include <limits>

namespace nnrt::cpu {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// What a step clamps to, if that is all it does.
bool clamps(const FusedStep& step, FloatBounds& bounds) {
  if (step.op != Op::relu && step.op != Op::relu6) return false;
  bounds = bounds_of(step.op == Op::relu ? Activation::relu : Activation::relu6);
  return true;
}

}  // namespace

int64_t float_group_floats(const TiledProduct& product) {
  const int64_t lanes = float_block(vector_bytes()).lanes;
  return divide_up(product.columns, lanes) * lanes * product.inner();
}

void pack_floats(const TiledProduct& product, const float* weights, ThreadPool& pool, float* to) {
  const FloatBlock block = float_block(vector_bytes());
  const int64_t inner = product.inner();
  const int64_t panels = divide_up(product.columns, block.columns);
  pool.parallel_for(panels, 1 + (1 << 15) / (inner * block.columns), [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      const int64_t first = p * block.columns;
      const int64_t count = std::min<int64_t>(block.columns, product.columns - first);
      const int64_t lanes = count > block.lanes ? block.columns : block.lanes;
      float* const panel = to + p * inner * block.columns;
      if (!product.columns_first) {
        for (int64_t k = 0; k < inner; ++k) {
          std::copy_n(weights + k * product.columns + first, count, panel + k * lanes);
          std::fill_n(panel + k * lanes + count, lanes - count, 0.0f);
        }
        continue;
      }
      constexpr int64_t kDepth = 128;  // a block of the panel that stays in the first-level cache
      for (int64_t from = 0; from < inner; from += kDepth) {
        const int64_t until = std::min(from + kDepth, inner);
        for (int64_t c = 0; c < lanes; ++c) {
          const float* const column = weights + (first + c) * inner;
          for (int64_t k = from; k < until; ++k) panel[k * lanes + c] = c < count ? column[k] : 0.0f;
        }
      }
    }
  });
}

KeptBytes float_weights(const KernelArgs& args, const TiledProduct& product, const float* weights) {
  const int64_t group_floats = float_group_floats(product);
  const int64_t bias_floats = product.channels() + float_block(vector_bytes()).lanes;
  const int64_t floats = product.groups * group_floats + bias_floats;
  return args.kept_from(1, size_t(floats) * sizeof(float), [&](std::byte* memory) {
    auto* const to = reinterpret_cast<float*>(memory);
    for (int64_t group = 0; group < product.groups; ++group)
      pack_floats(product, weights + group * product.columns * product.inner(), args.pool,
                  to + group * group_floats);
    float* const bias = to + product.groups * group_floats;
    std::fill_n(bias, bias_floats, 0.0f);
    if (product.has_bias) std::copy_n(args.input<float>(2), product.channels(), bias);
  });
}

FloatEnd::FloatEnd(const KernelArgs& args, bool loop_adds) : args_(args) {
  const FloatBounds own = bounds_of(activation_of(args.node.attrs()));
  first_.low = own.low;
  first_.high = own.high;
  const std::vector<FusedStep>& steps = args.node.node().then;
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

FloatFinish FloatEnd::finish(const float* bias, int64_t at) const {
  FloatFinish finish = first_;
  finish.bias = bias;
  if (finish.other != nullptr) finish.other += at;
  return finish;
}

void FloatEnd::apply_rest(int64_t at, int64_t rows, int64_t columns, int64_t stride) const {
  const std::vector<FusedStep>& steps = args_.node.node().then;
  if (columns == stride) {  // one after the other
    columns *= rows;
    rows = 1;
  }
  for (size_t i = in_loop_; i < steps.size(); ++i) {
    for (int64_t r = 0; r < rows; ++r) {
      float* const to = args_.output<float>() + at + r * stride;
      const float* const other =
          steps[i].other ? args_.input<float>(*steps[i].other) + at + r * stride : nullptr;
      apply_step(steps[i], to, other, columns);
    }
  }
}

bool is_narrow(const TiledProduct& product) {
  constexpr int64_t kNarrowRows = 4;  // up to these, packing the right operand does not pay
  return product.columns_first && product.groups == 1 && product.taps == 1 && product.rows <= kNarrowRows;
}

void multiply_narrow(const KernelArgs& args, const TiledProduct& product, const float* rows,
                     const float* weights, float* to) {
  constexpr int64_t kGrain = 32 * 1024;  // products worth a task
  const int64_t inner = product.inner();
  const FloatEnd end(args);
  const int64_t first = to - args.output<float>();
  const float* const bias = product.has_bias ? args.input<float>(2) : nullptr;
  args.pool.parallel_for(product.columns, divide_up(kGrain, inner), [&](int64_t begin, int64_t until) {
    for (int64_t row = 0; row < product.rows; ++row) {
      const int64_t at = first + row * product.columns + begin;
      const FloatFinish finish = end.finish(nullptr, at);
      for (int64_t c = begin; c < until; ++c) {
        float sum = dot(vector_bytes(), rows + row * inner, weights + c * inner, inner);
        if (bias != nullptr) sum += bias[c];
        sum = sum < finish.low ? finish.low : sum > finish.high ? finish.high : sum;
        if (finish.other != nullptr) {
          sum += finish.other[c - begin];
          sum = sum < finish.other_low ? finish.other_low : sum > finish.other_high ? finish.other_high : sum;
        }
        args.output<float>()[at + c - begin] = sum;
      }
      end.apply_rest(at, 1, until - begin, product.columns);
    }
  });
}

}  // namespace nnrt::cpu
