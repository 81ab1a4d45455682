// Quantized INT8 networks give the same values with quantized and with dequantized tensors between operators
// (backends/vulkan/passes/dequantize_pass.h), and agree with the CPU.
#include "backends/cpu/engine/cpu_device.h"
#include "core/base/bytes_of.h"
#include "tests/device/device_fixture.h"
#include "tests/support/device_agreement.h"
#include "tests/support/random/random.h"

#include <cmath>
#include <set>

namespace nnrt::test {
namespace {

enum : int { kConcatAxis = 10, kPad = 12, kActivation = 15, kKernel = 36, kStride = 37 };
enum : int { kAddActivation = 1 };

const Quant kNarrow{{0.25}, {3}}, kWide{{8}, {-5}};

enum class Scales : uint8_t { powers_of_2, odd, odd_to_even };

class Network : public GraphMaker {
 public:
  explicit Network(Scales scales) : scales_(scales) {}

  TensorId quantized(TensorId id, Quant quant) {
    quant.ties_to_even = scales_ == Scales::odd_to_even;
    if (scales_ != Scales::powers_of_2) quant.scales[0] = std::pow(quant.scales[0], 1.0137) * 0.731;
    EXPECT_TRUE(builder().set_quant(id, quant).ok());
    return id;
  }
  TensorId coded(Op type, const std::vector<TensorId>& inputs, Shape shape, const Quant& quant,
                 const std::vector<TensorId>& parameters = {}) {
    return quantized(op(type, inputs, std::move(shape), parameters, DType::i8, Format::nhwc), quant);
  }
  TensorId convolve(TensorId x, const Shape& in, int64_t channels, int64_t kernel, const Quant& quant,
                    int8_t activation) {
    const TensorId weight = quantized(constant({channels, kernel, kernel, in[3]}, DType::i8,
                                               quantized(size_t(channels * kernel * kernel * in[3]))),
                                      {{0.5}, {0}});
    std::vector<int32_t> bias;
    for (int64_t c = 0; c < channels; ++c) bias.push_back(int32_t(random.below(2000)) - 1000);
    const int64_t pad = kernel / 2;
    const std::vector<TensorId> parameters{parameter<int8_t>(kActivation, DType::i8, {activation}),
                                           parameter<int64_t>(kPad, DType::i64, {pad, pad, pad, pad})};
    Shape out = in;
    out[3] = channels;
    return coded(Op::conv2d, {x, weight, ints(bias)}, out, quant, parameters);
  }
  std::vector<int8_t> quantized(size_t count) {
    std::vector<int8_t> values;
    for (size_t i = 0; i < count; ++i) values.push_back(int8_t(int(random.below(256)) - 128));
    return values;
  }

  Random random{5};

 private:
  Scales scales_;
};

struct Drawn {
  GraphPtr graph;
  std::vector<Bytes> fed;
};

// Covers each use of a tensor: both kinds of convolution, a sum, a pool, a join and a table lookup.
Drawn draw_network(Scales scales) {
  Network make(scales);
  const Shape photo{1, 9, 12, 3}, image{1, 9, 12, 8};
  const TensorId x = make.quantized(make.input(photo, DType::i8, Format::nhwc), kNarrow);
  const TensorId a = make.convolve(x, photo, 8, 3, kWide, 1);
  const TensorId b = make.convolve(a, image, 8, 1, kWide, 2);
  const TensorId sum =
      make.coded(Op::add, {a, b}, image, kWide, {make.parameter<int8_t>(kAddActivation, DType::i8, {1})});
  const TensorId table = make.coded(Op::relu6, {sum}, image, kNarrow);
  const TensorId wide = make.convolve(table, image, 8, 3, kWide, 0);
  const TensorId concatenated = make.coded(Op::concat, {sum, wide}, {1, 9, 12, 16}, kWide,
                                           {make.parameter<int64_t>(kConcatAxis, DType::i64, {3})});
  const Shape half{1, 4, 6, 16};
  const TensorId pooled = make.coded(Op::max_pool, {concatenated}, half, kWide,
                                     {make.parameter<int64_t>(kKernel, DType::i64, {2, 2}),
                                      make.parameter<int64_t>(kStride, DType::i64, {2, 2})});
  const TensorId one = make.convolve(pooled, half, 12, 1, {{1024}, {1}}, 0);
  const TensorId other = make.convolve(pooled, half, 8, 3, {{1024}, {1}}, 1);
  const TensorId both = make.coded(Op::concat, {one, other}, {1, 4, 6, 20}, {{1024}, {1}},
                                   {make.parameter<int64_t>(kConcatAxis, DType::i64, {3})});
  const TensorId last = make.convolve(both, {1, 4, 6, 20}, 12, 1, {{65536}, {1}}, 0);
  const auto fed = make.quantized(size_t(*element_count(photo)));
  return {normalize(make.finish({last, wide})), {bytes_of(fed)}};
}

void expect_the_cpus_values(vulkan::Shaders shaders, Scales scales, bool is_software) {
  const Drawn drawn = draw_network(scales);
  vulkan::DevicePlan plan = first_plan();
  plan.shaders = shaders;
  plan.int8_dot = false;
  plan.is_software = is_software;
  const auto device = make_device(plan);
  ASSERT_FALSE(first_refusal(*device, *drawn.graph));
  Random random(7);
  const auto want = run_guarded(*cpu::make_device(), drawn.graph, drawn.fed, random, false);
  const auto got = run_guarded(*device, drawn.graph, drawn.fed, random, false);
  ASSERT_TRUE(want.ok() && got.ok()) << (want.ok() ? got.error().message : want.error().message);
  for (size_t i = 0; i < drawn.graph->outputs.size(); ++i) {
    const auto wrong = difference(DType::i8, got.value()[i], want.value()[i], kExact, 1);
    EXPECT_FALSE(wrong) << "Output " << i << ": " << *wrong;
    EXPECT_GT(std::set<std::byte>(want.value()[i].begin(), want.value()[i].end()).size(), 20u);
  }
}

class QuantizedValues : public testing::TestWithParam<Scales> {};

TEST_P(QuantizedValues, AreTheCpusByOptimizedShaders) {
  expect_the_cpus_values(vulkan::Shaders::optimized, GetParam(), true);
}
TEST_P(QuantizedValues, AreTheCpusByFastCompileShaders) {
  expect_the_cpus_values(vulkan::Shaders::fast_compile, GetParam(), true);
}
// INT8 tensors between operators.
TEST_P(QuantizedValues, AreTheCpusByShadersForGpus) {
  expect_the_cpus_values(vulkan::Shaders::optimized, GetParam(), false);
}

INSTANTIATE_TEST_SUITE_P(Scales, QuantizedValues,
                         testing::Values(Scales::powers_of_2, Scales::odd, Scales::odd_to_even));

}  // namespace
}  // namespace nnrt::test
