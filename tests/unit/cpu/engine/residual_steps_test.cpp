#include "backends/cpu/engine/cpu_device.h"
#include "backends/cpu/gemm/matmul_kernels.h"
#include "backends/cpu/simd/isa.h"
#include "backends/cpu/simd/simd.h"
#include "core/device/device.h"
#include "tests/support/graph_maker.h"
#include "tests/support/kernels_variable.h"
#include "tests/support/linear_algebra/eigen_oracle.h"
#include "tests/support/page_aligned_bytes.h"
#include "tests/support/tensor_views.h"
#include "tests/support/trace_file.h"

#include <algorithm>
#include <cmath>

namespace nnrt::cpu {
namespace {

using test::GraphMaker;

struct Scales {
  double convolution, other, sum;
};
constexpr Scales kUneven{0.31, 0.47, 0.53}, kTies{0.25, 0.5, 0.5};

struct Case {
  Shape x;
  int64_t channels, size = 1, pad = 0, groups = 1;
  Scales scales = kUneven;
  bool ties_to_even = true;
  int8_t activation = 0;
  double weight_scale = 0.01;
};

std::vector<int8_t> codes(size_t count, int seed) {
  std::vector<int8_t> all;
  for (size_t i = 0; i < count; ++i) all.push_back(int8_t((i * 73 + size_t(seed) * 31 + i / 7 * 5) % 251));
  return all;
}

// ADD(CONV2D(x), other), and the exact result.
class ResidualSteps : public testing::Test {
 protected:
  static constexpr double kInput = 0.5;
  static constexpr int kInputZero = 7, kConvolutionZero = -11, kOtherZero = 23, kSumZero = -3;

  TensorId quantized(TensorId id, Quant quant) {
    EXPECT_TRUE(make_.builder().set_quant(id, std::move(quant)).ok());
    return id;
  }
  Shape out(const Case& c) const {
    return {c.x[0], c.x[1] + 2 * c.pad - c.size + 1, c.x[2] + 2 * c.pad - c.size + 1, c.channels};
  }
  Shape weights(const Case& c) const { return {c.channels, c.size, c.size, c.x[3] / c.groups}; }
  double weight_scale(const Case& c, int64_t channel) const {
    return c.weight_scale * double(channel % 5 + 1);
  }
  static std::vector<int32_t> biases(const Case& c) {
    std::vector<int32_t> all;
    for (int64_t o = 0; o < c.channels; ++o) all.push_back(int32_t(o * 37 % 400) - 200);
    return all;
  }

  TensorId ties(const Case& c) {
    constexpr int kTiesToEven = 1130;
    return make_.parameter<int8_t>(kTiesToEven, DType::boolean, {c.ties_to_even});
  }
  TensorId input(const Shape& shape, Quant quant) {
    return quantized(make_.input(shape, DType::i8, Format::nhwc), std::move(quant));
  }
  TensorId convolve(const Case& c, TensorId x) {
    constexpr int kPad = 12, kGroup = 16;
    const auto count = size_t(*element_count(weights(c)));
    Quant quant;
    for (int64_t o = 0; o < c.channels; ++o) {
      quant.scales.push_back(weight_scale(c, o));
      quant.zero_points.push_back(0);
    }
    const TensorId w = quantized(make_.constant(weights(c), DType::i8, codes(count, 2)), quant);
    const TensorId bias = make_.ints(biases(c));
    const std::vector parameters{make_.parameter<int64_t>(kPad, DType::i64, {c.pad, c.pad, c.pad, c.pad}),
                                 make_.parameter<int64_t>(kGroup, DType::i64, {c.groups}), ties(c)};
    const TensorId y = make_.op(Op::conv2d, {x, w, bias}, out(c), parameters, DType::i8, Format::nhwc);
    return quantized(y, {{c.scales.convolution}, {kConvolutionZero}});
  }
  TensorId add(const Case& c, TensorId a, TensorId b) {
    constexpr int kActivation = 1;
    const TensorId sum = make_.op(Op::add, {a, b}, out(c),
                                  {make_.parameter<int8_t>(kActivation, DType::i8, {c.activation}), ties(c)},
                                  DType::i8, Format::nhwc);
    return quantized(sum, {{c.scales.sum}, {kSumZero}});
  }

  static double nearest(bool ties_to_even, double value) {
    return ties_to_even ? std::nearbyint(float(value)) : std::round(value);
  }
  static int8_t code(double value, int zero) { return int8_t(std::clamp(value + zero, -128.0, 127.0)); }

  std::vector<int8_t> exact(const Case& c, const std::vector<int8_t>& x,
                            const std::vector<int8_t>& other) const {
    const auto w = codes(size_t(*element_count(weights(c))), 2);
    const test::eigen::Reals products =
        test::eigen::convolution({c.x, weights(c), {1, 1}, {1, 1}, {c.pad, c.pad, c.pad, c.pad}, c.groups},
                                 test::eigen::differences(x, kInputZero), {w.begin(), w.end()});
    std::vector<int8_t> want;
    for (const int8_t b : other) {
      const int64_t o = int64_t(want.size()) % c.channels;
      const double sum = products[want.size()] + biases(c)[size_t(o)];
      const float scale = float(kInput) * float(weight_scale(c, o)) / float(c.scales.convolution);
      const double value = c.ties_to_even ? double(float(sum) * scale)
                                          : sum * (kInput / c.scales.convolution * weight_scale(c, o));
      const int8_t a = code(nearest(c.ties_to_even, value), kConvolutionZero);
      double real = c.scales.convolution * (a - kConvolutionZero) + c.scales.other * (b - kOtherZero);
      if (c.activation != 0) real = std::max(real, 0.0);
      if (c.activation == 2) real = std::min(real, 6.0);
      want.push_back(code(nearest(c.ties_to_even, real / c.scales.sum), kSumZero));
    }
    return want;
  }

  // Results of the prepared and of the restored model, which must be equal.
  struct Results {
    std::vector<int8_t> values;
    int steps = 0;
    test::TracedWork work;
  };
  static Results run(const GraphPtr& graph, const std::vector<std::vector<int8_t>>& inputs) {
    const auto device = make_device();
    const auto model = device->prepare(graph, {}).value();
    const auto restored =
        device->restore(graph, {}, test::in_pages(model->export_cache(graph).value())).value();
    std::vector<TensorView> views;
    for (size_t i = 0; i < inputs.size(); ++i)
      views.push_back(test::view_of<int8_t>(graph->shapes[graph->inputs[i]], inputs[i]));
    Results results;
    for (PreparedModel* const prepared : {model.get(), restored.get()}) {
      std::vector<OutputSlot> outputs(1, {{}, true});
      results.work = test::traced_work([&] { EXPECT_TRUE(prepared->run(views, outputs, {}).ok()); });
      const std::vector<int8_t> values = test::values_of<int8_t>(outputs[0].view);
      EXPECT_TRUE(results.values.empty() || values == results.values);
      results.values = values;
    }
    for (const auto& operation : model->kernels(graph).operations)
      for (const auto& kernel : operation.kernels) results.steps += kernel.name == "conv_residual" ? 1 : 0;
    return results;
  }

  static int steps_expected() { return has_int8_dot() && kInt8Dot == std::string("vnni"); }

  void expect_exact(const Case& c) {
    const TensorId x = input(c.x, {{kInput}, {kInputZero}});
    const TensorId other = input(out(c), {{c.scales.other}, {kOtherZero}});
    const GraphPtr graph = make_.finish({add(c, convolve(c, x), other)});
    const std::vector inputs{codes(size_t(*element_count(c.x)), 1), codes(size_t(*element_count(out(c))), 3)};
    const std::vector<int8_t> want = exact(c, inputs[0], inputs[1]);
    for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512, Isa::vnni, Isa::dotprod}) {
      const IsaLimit limit(isa);
      for (const char* const kernels : {"", "-conv_residual"}) {
        const test::KernelsVariable variable(kernels);
        const Results got = run(graph, inputs);
        EXPECT_EQ(got.values, want);
        EXPECT_EQ(got.steps, *kernels == 0 ? steps_expected() : 0);
      }
    }
  }

  GraphMaker make_;
};

TEST_F(ResidualSteps, PointwiseConvolutions) { expect_exact({{2, 5, 7, 12}, 72}); }
TEST_F(ResidualSteps, NarrowPanels) { expect_exact({{1, 3, 11, 8}, 41, 1, 0, 1, kTies}); }
TEST_F(ResidualSteps, PaddedKernels) { expect_exact({{1, 9, 6, 20}, 33, 3, 1, 1, kTies, true, 1}); }
TEST_F(ResidualSteps, Groups) { expect_exact({{1, 6, 5, 24}, 66, 3, 1, 2, kUneven, true, 2}); }
TEST_F(ResidualSteps, TiesAwayFromZero) { expect_exact({{1, 5, 9, 16}, 64, 1, 0, 1, kTies, false, 1}); }
TEST_F(ResidualSteps, LargeScales) { expect_exact({{1, 4, 9, 4}, 35, 1, 0, 1, kUneven, true, 0, 1.0}); }

// The sum's output must not take the memory that the convolution still reads.
TEST_F(ResidualSteps, TheInputMayBeTheResidual) {
  const Case c{{1, 40, 12, 64}, 64, 3, 1};
  const TensorId x = input(c.x, {{c.scales.other}, {kOtherZero}});
  TensorId top = x;
  for (int i = 0; i < 3; ++i) {
    const TensorId in = quantized(top, {{c.scales.other}, {kOtherZero}});
    top = add(c, in, convolve(c, in));
  }
  const GraphPtr graph = make_.finish({top});
  const std::vector<std::vector<int8_t>> inputs{codes(size_t(*element_count(c.x)), 1)};
  const test::KernelsVariable direct("-winograd4_int8");
  const Results got = run(graph, inputs);
  const test::KernelsVariable variable("-winograd4_int8,-conv_residual");
  const Results want = run(graph, inputs);
  EXPECT_EQ(got.values, want.values);
  EXPECT_EQ(got.work, want.work);
  EXPECT_EQ(got.steps, 3 * steps_expected());
}

TEST_F(ResidualSteps, DoNotOverwriteTheInput) {
  const Case c{{1, 5, 7, 64}, 64};
  const TensorId x = input(c.x, {{c.scales.other}, {kOtherZero}});
  const GraphPtr graph = make_.finish({add(c, x, convolve(c, x))});
  EXPECT_FALSE(make_device()->prepare(graph, {}).value()->may_share(0, 0) && steps_expected() == 1);
}

TEST_F(ResidualSteps, StoreTensorsReadElsewhere) {
  const Case c{{1, 5, 7, 12}, 72};
  const TensorId x = input(c.x, {{kInput}, {kInputZero}});
  const TensorId y = convolve(c, x);
  const TensorId other = input(out(c), {{c.scales.other}, {kOtherZero}});
  const GraphPtr graph = make_.finish({add(c, add(c, y, other), y)});
  const std::vector inputs{codes(size_t(*element_count(c.x)), 1), codes(size_t(*element_count(out(c))), 3)};
  EXPECT_EQ(run(graph, inputs).steps, 0);
}

}  // namespace
}  // namespace nnrt::cpu
