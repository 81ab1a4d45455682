#include "backends/cpu/simd/isa.h"
#include "tests/support/eighths.h"
#include "tests/support/kernels_variable.h"
#include "tests/support/linear_algebra/eigen_oracle.h"
#include "tests/unit/cpu/conv/conv_cases.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace nnrt::cpu {
namespace {

using test::eighths;
using test::NodeMaker;

using Case = ConvolutionCase;

// R17 and operators/gemm_conv.md CONV2D_TRANSPOSE, for one axis.
struct Axis {
  int64_t out, before;
};
Axis fit(const Case& c, size_t axis) {
  const int64_t in = c.x[axis + 1], stride = c.stride[axis];
  const int64_t reach = (c.w[axis + 1] - 1) * c.dilation[axis] + 1;
  const int64_t before = c.pad[axis * 2], after = c.pad[axis * 2 + 1];
  if (c.op == Op::conv2d_transpose) {
    const int64_t full = (in - 1) * stride + reach;
    if (!c.same) return {full - before - after + c.output_padding[axis], before};
    const int64_t out = in * stride + c.output_padding[axis];
    return {out, std::max<int64_t>(0, full - out) / 2};
  }
  if (!c.same) return {(in + before + after - reach) / stride + 1, before};
  const int64_t out = (in + stride - 1) / stride;
  return {out, std::max<int64_t>(0, (out - 1) * stride + reach - in) / 2};
}

Shape output_shape(const Case& c) { return {c.x[0], fit(c, 0).out, fit(c, 1).out, c.w[0]}; }

std::vector<double> sums_of(const Case& c, const std::vector<double>& x, const std::vector<double>& w) {
  test::eigen::Convolution shape{
      c.x, c.w, c.stride, c.dilation, c.pad, c.x[3] / c.w[3], c.op == Op::conv2d_transpose, c.output_padding};
  for (size_t d = 0; d < 2 && c.same; ++d) {
    const auto [out, before] = fit(c, d);
    const int64_t in = c.x[d + 1], reach = (c.w[d + 1] - 1) * c.dilation[d] + 1;
    const int64_t all = shape.transposed ? (in - 1) * c.stride[d] + reach + c.output_padding[d] - out
                                         : std::max<int64_t>(0, (out - 1) * c.stride[d] + reach - in);
    shape.pad[2 * d] = before;
    shape.pad[2 * d + 1] = all - before;
  }
  return test::eigen::convolution(shape, x, w);
}

NodeMaker maker_of(const Case& c) {
  const auto number = [](int64_t value) { return double(value); };
  NodeMaker maker(c.op);
  maker.integer(Attr::stride, {number(c.stride[0]), number(c.stride[1])});
  maker.integer(Attr::dilation, {number(c.dilation[0]), number(c.dilation[1])});
  maker.integer(Attr::pad, {number(c.pad[0]), number(c.pad[1]), number(c.pad[2]), number(c.pad[3])});
  maker.integer(Attr::group, {number(c.group)});
  maker.integer(Attr::output_padding, {number(c.output_padding[0]), number(c.output_padding[1])});
  if (c.same) maker.integer(Attr::pad_mode, {0});
  return maker;
}

class Convolution : public testing::TestWithParam<Case> {};

// The oracle takes longer than the kernels, and each implementation needs the same sums. `operands`: which
// values the case has.
template <typename Sum>
const std::vector<double>& sums_once(const Case& c, int operands, const Sum& sum) {
  static const Case* known = nullptr;
  static std::map<int, std::vector<double>> sums;
  if (known != &c) sums.clear();
  known = &c;
  const auto [found, is_new] = sums.try_emplace(operands);
  if (is_new) found->second = sum();
  return found->second;
}

const std::vector<double>& sums_of_eighths(const Case& c) {
  return sums_once(c, -1, [&] { return sums_of(c, eighths<double>(c.x, 1), eighths<double>(c.w, 2)); });
}

void expect_exact_floats(const Case& c) {
  const Shape bias_shape{c.w[0]};
  std::vector<double> want = sums_of_eighths(c);
  const std::vector<double> bias = eighths<double>(bias_shape, 3);
  for (size_t i = 0; i < want.size(); ++i) want[i] = std::max(0.0, want[i] + bias[i % bias.size()]);
  const auto got = maker_of(c)
                       .integer(Attr::activation, {1})
                       .input(c.x, eighths<float>(c.x, 1))
                       .input(c.w, eighths<float>(c.w, 2))
                       .input(bias_shape, eighths<float>(bias_shape, 3))
                       .output(DType::f32, output_shape(c))
                       .run_for<float>();
  EXPECT_EQ(got, std::vector<float>(want.begin(), want.end()));
}

void expect_exact_fp16(const Case& c) {
  const Shape bias_shape{c.w[0]};
  std::vector<Half> want;
  for (const double sum : sums_of_eighths(c)) want.push_back(to_half(float(sum)));
  const auto got = maker_of(c)
                       .input(c.x, eighths<Half>(c.x, 1))
                       .input(c.w, eighths<Half>(c.w, 2))
                       .input(bias_shape, std::vector<Half>(size_t(c.w[0])))
                       .output(DType::f16, output_shape(c))
                       .run_for<Half>();
  EXPECT_EQ(test::floats(got), test::floats(want));
}

// Zero points of the weights.
enum class Zeros { none, same, own };

// Per-channel scales; padding has the dequantized value 0. `step`: scale of the output.
void expect_exact_values(const Case& c, Zeros zeros, bool ties_to_even = false, double step = 40.0) {
  const size_t channels = size_t(c.w[0]);
  std::vector<int8_t> x, w;
  std::vector<double> real_x, real_w;
  for (const float value : eighths<float>(c.x, 1)) {
    x.push_back(int8_t(value * 60));
    real_x.push_back(x.back() - 7);
  }
  Quant weight_quant;
  for (size_t o = 0; o < channels; ++o) {
    weight_quant.scales.push_back(0.01 * double(o + 1));
    weight_quant.zero_points.push_back(zeros == Zeros::own    ? int32_t(o % 3) - 1
                                       : zeros == Zeros::same ? 2
                                                              : 0);
  }
  for (const float value : eighths<float>(c.w, 2)) {
    const size_t o = w.size() / size_t(c.w[1] * c.w[2] * c.w[3]);
    w.push_back(int8_t(value * 60));
    real_w.push_back(w.back() - weight_quant.zero_points[o]);
  }
  std::vector<int32_t> bias;
  for (size_t o = 0; o < channels; ++o) bias.push_back(int32_t(o) * 1000 - 500);

  std::vector<int8_t> want;
  for (const double sum : sums_once(c, int(zeros), [&] { return sums_of(c, real_x, real_w); })) {
    const size_t o = want.size() % channels;
    const double real = (sum + bias[o]) * (0.5 * weight_quant.scales[o]);
    const float scale =
        0.5f * float(weight_quant.scales[o]) / float(step);  // of FLOAT32 products, with ties to even
    const double nearest =
        ties_to_even ? std::nearbyint(float(sum + bias[o]) * scale) : std::round(real / step);
    want.push_back(int8_t(std::clamp(nearest + 3, -128.0, 127.0)));
  }
  const auto got = maker_of(c)
                       .input(c.x, x, {{0.5}, {7}})
                       .input(c.w, w, weight_quant)
                       .input({c.w[0]}, bias)
                       .output(DType::i8, output_shape(c), {{step}, {3}, ties_to_even})
                       .run_for<int8_t>();
  EXPECT_EQ(got, want);
}

TEST_P(Convolution, SumsProductsInFloat32) { expect_exact_floats(GetParam()); }

TEST_P(Convolution, SumsProductsOfFloat16InFloat32) { expect_exact_fp16(GetParam()); }

TEST_P(Convolution, IsTheSameByEachImplementation) {
  test::for_each_implementation(GetParam().op, [] {
    expect_exact_floats(GetParam());
    expect_exact_fp16(GetParam());
    expect_exact_values(GetParam(), Zeros::own);
    expect_exact_values(GetParam(), Zeros::same);
    expect_exact_values(GetParam(), Zeros::none);
  });
}

TEST_P(Convolution, SumsQuantizedValuesExactly) {
  expect_exact_values(GetParam(), Zeros::own);
  expect_exact_values(GetParam(), Zeros::same);
  expect_exact_values(GetParam(), Zeros::none);
  expect_exact_values(GetParam(), Zeros::none, true);
  expect_exact_values(GetParam(), Zeros::none, true, 0.03125);  // some scales exceed 1
}

TEST_P(Convolution, SumsQuantizedValuesExactlyWithoutRegistersForThem) {
  const IsaLimit limit(Isa::vnni);
  expect_exact_values(GetParam(), Zeros::same);
  expect_exact_values(GetParam(), Zeros::none);
}

TEST_P(Convolution, SumsQuantizedValuesExactlyWithoutInstructionsForThem) {
  const IsaLimit limit(Isa::avx512);
  expect_exact_values(GetParam(), Zeros::own);
  expect_exact_values(GetParam(), Zeros::none);
}

INSTANTIATE_TEST_SUITE_P(Cases, Convolution, testing::ValuesIn(kConvolutionCases),
                         [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace nnrt::cpu
