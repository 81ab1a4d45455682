#include "backends/cpu/engine/cpu_device.h"
#include "backends/cpu/gemm/matmul_kernels.h"
#include "backends/cpu/simd/isa.h"
#include "backends/cpu/simd/simd.h"
#include "backends/cpu/simd/x86_features.h"
#include "core/device/device.h"
#include "core/passes/normalize.h"
#include "tests/support/graph_maker.h"
#include "tests/support/kernels_variable.h"
#include "tests/support/linear_algebra/eigen_oracle.h"
#include "tests/support/page_aligned_bytes.h"
#include "tests/support/tensor_views.h"

#include <algorithm>
#include <cmath>

namespace nnrt::cpu {
namespace {

using test::GraphMaker;

constexpr const char* kName = "winograd4_int8";

struct Case {
  int64_t height, width, in, out;
  std::vector<int64_t> pad{1, 1, 1, 1};  // top, bottom, left, right
  bool ties_to_even = true;
  double step = 40;  // of the output
  bool extreme = false;
};

class Int8Winograd : public testing::Test {
 protected:
  static constexpr int64_t kBatch = 2;
  static constexpr int kInputZero = -128;

  static int8_t code(const Case& c, size_t i, int seed) {
    if (c.extreme) return i / 7 % 9 == 8 ? 127 : -128;
    return int8_t((i * 73 + size_t(seed) * 31 + i / 7 * 5) % 251);
  }
  static std::vector<int8_t> codes(const Case& c, int64_t count, int seed) {
    std::vector<int8_t> all;
    for (size_t i = 0; i < size_t(count); ++i) all.push_back(code(c, i, seed));
    return all;
  }
  static int64_t height(const Case& c) { return c.height + c.pad[0] + c.pad[1] - 2; }
  static int64_t width(const Case& c) { return c.width + c.pad[2] + c.pad[3] - 2; }
  static double weight_scale(int64_t channel) { return 0.01 * double(channel % 7 + 1); }

  static GraphPtr graph(const Case& c) {
    constexpr int kPad = 12, kTiesToEven = 1130;
    GraphMaker make;
    const auto quantized = [&](TensorId id, Quant quant) {
      EXPECT_TRUE(make.builder().set_quant(id, std::move(quant)).ok());
      return id;
    };
    Quant weights;
    std::vector<int32_t> bias;
    for (int64_t o = 0; o < c.out; ++o) {
      weights.scales.push_back(weight_scale(o));
      weights.zero_points.push_back(0);
      bias.push_back(int32_t(o) * 1000 - 500);
    }
    const TensorId x = quantized(make.input({kBatch, c.height, c.width, c.in}, DType::i8, Format::nhwc),
                                 {{0.5}, {kInputZero}});
    const TensorId w =
        quantized(make.constant({c.out, 3, 3, c.in}, DType::i8, codes(c, c.out * 9 * c.in, 2)), weights);
    const TensorId y = make.op(Op::conv2d, {x, w, make.ints(bias)}, {kBatch, height(c), width(c), c.out},
                               {make.parameter<int64_t>(kPad, DType::i64, c.pad),
                                make.parameter<int8_t>(kTiesToEven, DType::boolean, {c.ties_to_even})},
                               DType::i8, Format::nhwc);
    return normalize(make.finish({quantized(y, {{c.step}, {3}})}));
  }

  static std::vector<int8_t> expected(const Case& c) {
    const test::eigen::Convolution of{{kBatch, c.height, c.width, c.in},
                                      {c.out, 3, 3, c.in},
                                      {1, 1},
                                      {1, 1},
                                      {c.pad[0], c.pad[1], c.pad[2], c.pad[3]}};
    const auto x = codes(c, kBatch * c.height * c.width * c.in, 1), w = codes(c, c.out * 9 * c.in, 2);
    std::vector<int8_t> want;
    for (const double products :
         convolution(of, test::eigen::differences(x, kInputZero), {w.begin(), w.end()})) {
      const int64_t o = int64_t(want.size()) % c.out;
      const double sum = products + double(o) * 1000 - 500;
      const float scale = 0.5f * float(weight_scale(o)) / float(c.step);
      const double value = c.ties_to_even ? std::nearbyint(float(sum) * scale)
                                          : std::round(sum * (0.5 / c.step * weight_scale(o)));
      want.push_back(int8_t(std::clamp(value + 3, -128.0, 127.0)));
    }
    return want;
  }

  // Returns whether the kernel was chosen.
  static bool run(const Case& c, const char* kernels) {
    const test::KernelsVariable variable(kernels);
    const GraphPtr network = graph(c);
    const auto device = make_device();
    const auto model = device->prepare(network, {}).value();
    const auto restored =
        device->restore(network, {}, test::in_pages(model->export_cache(network).value())).value();
    const std::vector<TensorView> inputs{test::view_of<int8_t>(
        network->shapes[network->inputs[0]], codes(c, kBatch * c.height * c.width * c.in, 1))};
    const std::vector<int8_t> want = expected(c);
    for (PreparedModel* const prepared : {model.get(), restored.get()}) {
      std::vector<OutputSlot> outputs(1, {{}, true});
      EXPECT_TRUE(prepared->run(inputs, outputs, {}).ok());
      EXPECT_EQ(test::values_of<int8_t>(outputs[0].view), want);
    }
    return model->kernels(network).operations[0].kernels[0].name == kName;
  }
  static bool is_supported() { return has_int8_dot() && kInt8Dot == std::string("vnni"); }

  static void expect_exact_when_forced(const Case& c) {
    for (const Isa isa : {Isa::baseline, Isa::vnni, Isa::dotprod}) {
      const IsaLimit limit(isa);
      EXPECT_EQ(run(c, "+winograd4_int8"), is_supported());
    }
  }
};

TEST_F(Int8Winograd, TilesMayBePartial) { expect_exact_when_forced({9, 14, 34, 67, {1, 2, 0, 1}}); }
TEST_F(Int8Winograd, PaddingMayBeWide) { expect_exact_when_forced({3, 2, 5, 33, {7, 0, 2, 6}}); }
TEST_F(Int8Winograd, ImagesMayBeSmallerThanATile) { expect_exact_when_forced({3, 3, 32, 32, {0, 0, 0, 0}}); }
TEST_F(Int8Winograd, TiesAwayFromZero) { expect_exact_when_forced({8, 8, 16, 40, {1, 1, 1, 1}, false}); }
TEST_F(Int8Winograd, LargeScales) { expect_exact_when_forced({8, 8, 3, 17, {1, 1, 1, 1}, true, 0.03125}); }

// The largest sums, of -128 * -128 and products with the padding's 0.
TEST_F(Int8Winograd, LargeSums) {
  expect_exact_when_forced({6, 5, 227, 33, {1, 1, 1, 1}, true, 40000, true});
}

// Sums of weights beyond 2^18 might not be exact.
TEST_F(Int8Winograd, LargerSumsAreComputedDirectly) {
  expect_exact_when_forced({6, 5, 300, 33, {1, 1, 1, 1}, true, 40000, true});
}

TEST_F(Int8Winograd, IsChosenForManyTiles) {
  const IsaLimit limit(Isa::vnni);
  EXPECT_EQ(run({28, 28, 64, 64}, ""), is_supported());
  EXPECT_FALSE(run({5, 5, 64, 64}, ""));
  EXPECT_FALSE(run({28, 28, 4, 64}, ""));
  // The weights are not in L2.
  EXPECT_EQ(run({10, 10, 256, 256}, ""), is_supported() && !has_two_dot_ports());
}

}  // namespace
}  // namespace nnrt::cpu
