// Infinite, NaN or huge elements and weights only affect the results that read them.
#include "backends/cpu/engine/cpu_device.h"
#include "tests/device/windowed_network.h"
#include "tests/support/kernels_variable.h"
#include "tests/support/node_maker.h"

#include <limits>

namespace nnrt::test {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(DirectConv, NoKernelSpreadsAnElement) {
  for (const char* kernels : {"", "-winograd4", "-winograd4,-fp32_gemm"}) {
    SCOPED_TRACE(kernels);
    const KernelsVariable variable(kernels);
    expect_no_spread(*cpu::make_device());
  }
}

// A tap outside the input contributes nothing, even with such a weight.
TEST(DirectConv, NoKernelSpreadsAWeight) {
  for (const char* kernels : {"", "-winograd4", "-winograd4,-fp32_gemm"}) {
    SCOPED_TRACE(kernels);
    const KernelsVariable variable(kernels);
    const auto results = [](float weight) {
      const WindowedNetwork network(weight);
      return network.run(*cpu::make_device()->prepare(network.graph(), {}).value());
    };
    const auto base = results(0.5f), changed = results(8 + 0.5f);
    for (const float spoiled : {kInfinity, -kInfinity, std::nanf(""), 1e30f, -1e6f}) {
      SCOPED_TRACE(spoiled);
      expect_only_readers_differ(WindowedNetwork(), results(spoiled), base, changed, spoiled);
    }
  }
}

// The weights are inputs of the run.
TEST(DirectConv, ContainsNonFiniteFedWeights) {
  GraphMaker make;
  const TensorId x = make.input({1, 3, 3, 1}, DType::f32, Format::nhwc);
  const TensorId weights = make.input({2, 3, 3, 1});
  const TensorId y =
      make.op(Op::conv2d, {x, weights, make.floats({2}, {0, 0})}, {1, 3, 3, 2},
              {make.parameter<int64_t>(12, DType::i64, {1, 1, 1, 1})}, DType::f32, Format::nhwc);
  const auto model = cpu::make_device()->prepare(normalize(make.finish({y})), {}).value();
  std::vector<float> taps(18, 1);
  taps[0] = kInfinity;
  const TensorView fed[] = {view_of<float>({1, 3, 3, 1}, std::vector<float>(9, 1)),
                            view_of<float>({2, 3, 3, 1}, taps)};
  std::vector<OutputSlot> outputs{{{}, true}};
  ASSERT_TRUE(model->run(fed, outputs, {}).ok());
  const std::vector<float> got = values_of<float>(outputs[0].view);
  for (size_t i = 0; i < 9; ++i) {
    const bool reads = i / 3 > 0 && i % 3 > 0;
    EXPECT_EQ(std::isinf(got[2 * i]), reads) << i;
    EXPECT_FALSE(std::isnan(got[2 * i])) << i;
    EXPECT_TRUE(std::isfinite(got[2 * i + 1])) << i;
  }
}

// Few channels and many; every border reads padding under the infinite tap of the first channel.
TEST(DirectConv, ContainsNonFiniteDepthwiseWeights) {
  constexpr int64_t kSide = 24;
  for (const int64_t channels : {3, 16}) {
    std::vector<float> taps(size_t(channels * 9), 1);
    taps[0] = kInfinity;
    NodeMaker maker(Op::depthwise_conv2d_native);
    const std::vector<float> got =
        maker
            .input({1, kSide, kSide, channels}, std::vector<float>(size_t(kSide * kSide * channels), 1), {},
                   Format::nhwc)
            .input({channels, 3, 3, 1}, taps)
            .input({channels}, std::vector<float>(size_t(channels)))
            .integer(Attr::pad, {1, 1, 1, 1})
            .output(DType::f32, {1, kSide, kSide, channels})
            .run_for<float>();
    for (int64_t i = 0; i < int64_t(got.size()); ++i) {
      const int64_t pixel = i / channels;
      const bool reads = i % channels == 0 && pixel / kSide > 0 && pixel % kSide > 0;
      ASSERT_EQ(std::isinf(got[size_t(i)]), reads) << channels << " " << i;
      ASSERT_FALSE(std::isnan(got[size_t(i)])) << channels << " " << i;
    }
  }
}

TEST(DirectConv, ContainsNonFiniteFp16AndConv3dWeights) {
  const auto inf_at_first = [](size_t count) {
    std::vector<float> values(count, 1);
    values[0] = kInfinity;
    return values;
  };
  const auto fp16_values = [](const std::vector<float>& values) {
    std::vector<Half> result;
    for (const float value : values) result.push_back(to_half(value));
    return result;
  };
  NodeMaker flat(Op::conv2d);
  flat.input({1, 3, 3, 1}, fp16_values(std::vector<float>(9, 1)), {}, Format::nhwc)
      .input({1, 3, 3, 1}, fp16_values(inf_at_first(9)))
      .input({1}, fp16_values({0}))
      .integer(Attr::pad, {1, 1, 1, 1})
      .output(DType::f16, {1, 3, 3, 1});
  ASSERT_TRUE(flat.run());
  const std::vector<Half> sums = flat.result<Half>();
  for (size_t i = 0; i < sums.size(); ++i)
    EXPECT_EQ(to_float(sums[i]) < kInfinity, i / 3 == 0 || i % 3 == 0) << i;

  for (const Format format : {Format::nhwc, Format::nchw}) {
    NodeMaker conv3d(Op::conv3d);
    const Shape shape = format == Format::nhwc ? Shape{1, 2, 2, 2, 1} : Shape{1, 1, 2, 2, 2};
    conv3d.input(shape, std::vector<float>(8, 1), {}, format)
        .input({1, 3, 3, 3, 1}, inf_at_first(27))
        .input({1}, std::vector<float>{0})
        .integer(Attr::pad, {1, 1, 1, 1, 1, 1})
        .output(DType::f32, shape);
    ASSERT_TRUE(conv3d.run());
    const std::vector<float> results = conv3d.result<float>();
    for (size_t i = 0; i < results.size(); ++i) {
      EXPECT_EQ(std::isinf(results[i]), i == 7) << i;
      EXPECT_FALSE(std::isnan(results[i])) << i;
    }
  }
}

}  // namespace
}  // namespace nnrt::test
