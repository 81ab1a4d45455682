#include "backends/cpu/add_codes.h"

#include "backends/cpu/element.h"
#include "backends/cpu/vectors.h"

#include <cmath>

namespace nnrt::cpu {
namespace {

constexpr int64_t kBlock = 64;  // codes that are computed at once

// code = zero_point + round(a * of_a + b * of_b + constant), in [low, high].
struct CodeSum {
  float of_a, of_b, constant;
  float margin;  // results so near a half may be rounded the wrong way
  int32_t zero_point, low, high;
};

double reach(const NodeView& node) {
  const double to = affine_of(node.output(0)).scale;
  return 256 * (affine_of(node.input(0)).scale + affine_of(node.input(1)).scale) / to;
}

CodeSum code_sum(const NodeView& node) {
  const Affine a = affine_of(node.input(0)), b = affine_of(node.input(1)), to = affine_of(node.output(0));
  const Activation activation = activation_of(node.attrs());
  CodeSum sum{};
  sum.of_a = float(a.scale / to.scale);
  sum.of_b = float(b.scale / to.scale);
  sum.constant = float(-(a.zero_point * a.scale + b.zero_point * b.scale) / to.scale);
  // Three factors and four operations err by half a unit in the last place each.
  constexpr double kErrors = 8, kUnit = 1.2e-7;
  sum.margin = float(kErrors * kUnit / 2 * reach(node));
  sum.zero_point = to.zero_point;
  sum.low = activation == Activation::none ? -128 : quantize<int8_t>(0, to);
  sum.high = activation == Activation::relu6 ? quantize<int8_t>(6, to) : 127;
  return sum;
}

// Whether some results are too near a half; `distances` tells which.
[[gnu::always_inline]] inline bool add_block(const CodeSum& sum, const int8_t* a, const int8_t* b,
                                             int64_t count, int8_t* to, float* distances) {
  constexpr float kRounder = 12582912.0f;  // adding it rounds to an integer
  float nearest = 1;
  for (int64_t i = 0; i < count; ++i) {
    const float value = float(a[i]) * sum.of_a + float(b[i]) * sum.of_b + sum.constant;
    const float raised = value < 0 ? value - 0.5f : value + 0.5f;
    const float distance = std::fabs(raised - ((raised + kRounder) - kRounder));
    distances[i] = distance;
    nearest = distance < nearest ? distance : nearest;
    const int32_t code = int32_t(raised) + sum.zero_point;
    to[i] = int8_t(code < sum.low ? sum.low : code > sum.high ? sum.high : code);
  }
  return nearest < sum.margin;
}

}  // namespace

bool takes_add_codes(const NodeView& node) {
  constexpr double kFar = 8192;  // so that floats tell halves from what is beside them
  for (size_t i = 0; i < 2; ++i) {
    const Tensor& tensor = node.input(i);
    if (tensor.dtype != DType::i8 || tensor.quant.scales.size() != 1) return false;
    if (node.shape(i) != node.output_shape()) return false;
  }
  return node.output(0).dtype == DType::i8 && node.output(0).quant.scales.size() == 1 && reach(node) < kFar;
}

Status add_codes(const KernelArgs& args) {
  const CodeTable reals_a = code_table(args.node.input(0)), reals_b = code_table(args.node.input(1));
  const Affine affine = affine_of(args.node.output(0));
  const Activation activation = activation_of(args.node.attrs());
  const CodeSum sum = code_sum(args.node);
  const int8_t *const a = args.input<int8_t>(0), *const b = args.input<int8_t>(1);
  int8_t* const to = args.output<int8_t>();
  const auto exactly = [&](int64_t i) {
    const double real = reals_a[uint8_t(a[i])] + reals_b[uint8_t(b[i])];
    return quantize<int8_t>(apply_activation(activation, real), affine);
  };
  const int64_t count = element_count(args.node.output_shape()).value_or(0);
  const int64_t blocks = (count + kBlock - 1) / kBlock;
  args.pool.parallel_for(blocks, (1 << 15) / kBlock, [&](int64_t begin, int64_t end) {
    float distances[kBlock];
    int8_t codes[kBlock];  // the output may be one of the inputs
    for (int64_t block = begin; block < end; ++block) {
      const int64_t first = block * kBlock, length = std::min(kBlock, count - first);
      bool is_unsure = false;
      with_vectors(
          vector_bytes(), [&](auto) __attribute__((always_inline)) {
            is_unsure = length == kBlock ? add_block(sum, a + first, b + first, kBlock, codes, distances)
                                         : add_block(sum, a + first, b + first, length, codes, distances);
          });
      for (int64_t i = 0; is_unsure && i < length; ++i)
        if (distances[i] < sum.margin) codes[i] = exactly(first + i);
      std::copy_n(codes, length, to + first);
    }
  });
  return {};
}

}  // namespace nnrt::cpu
