// 3x3 convolutions by Winograd's tiles against Eigen's in double, for all sizes, paddings and epilogues.
#include "core/base/bytes_of.h"
#include "core/base/text.h"
#include "tests/device/device_fixture.h"
#include "tests/support/linear_algebra/eigen_oracle.h"
#include "tests/support/random/random.h"

#include <algorithm>
#include <cmath>

namespace nnrt::test {
namespace {

enum : int { kPad = 12, kPadMode = 14, kActivation = 15 };

struct Case {
  Shape input;
  int64_t channels = 0;           // output channels
  std::vector<int64_t> pad = {};  // top, bottom, left, right; empty: same size
  int8_t activation = 0;          // RELU, RELU6
  bool adds = false;              // adds a tensor of the result's shape, then RELU
  bool post_ops = false;          // HSWISH
  bool has_bias = true;           // else zeros
};

std::string describe(const Case& one) {
  return cat(to_string(one.input), " to ", one.channels, one.pad.empty() ? ", same" : ", padded",
             ", activation ", int(one.activation), one.adds ? ", adds" : "", one.post_ops ? ", then" : "");
}

std::vector<float> drawn(Random& random, const Shape& shape) {
  std::vector<float> values(size_t(*element_count(shape)));
  for (float& value : values) value = float(int(random.below(2001)) - 1000) / 500;
  return values;
}

class Problem {
 public:
  explicit Problem(const Case& one) : one_(one), random_(uint32_t(one.input[1] * 100 + one.channels)) {
    shape_.x = one.input;
    shape_.w = {one.channels, 3, 3, one.input[3]};
    shape_.pad = {1, 1, 1, 1};
    std::ranges::copy(one.pad, shape_.pad.begin());
    out_ = shape_.result();
    x_ = drawn(random_, one.input);
    weights_ = drawn(random_, shape_.w);
    bias_ = drawn(random_, {one.channels});
    if (!one.has_bias) std::ranges::fill(bias_, 0.0f);
    other_ = drawn(random_, out_);
  }

  GraphPtr graph() const {
    GraphMaker make;
    std::vector<TensorId> parameters;
    if (one_.pad.empty()) {
      parameters.push_back(make.parameter<int8_t>(kPadMode, DType::i8, {0}));
    } else {
      parameters.push_back(make.parameter<int64_t>(kPad, DType::i64, one_.pad));
    }
    if (one_.activation != 0)
      parameters.push_back(make.parameter<int8_t>(kActivation, DType::i8, {one_.activation}));
    const TensorId x = make.input(one_.input, DType::f32, Format::nhwc);
    const TensorId weights = make.floats({one_.channels, 3, 3, one_.input[3]}, weights_);
    const auto add = [&](Op op, const std::vector<TensorId>& inputs, const std::vector<TensorId>& with = {}) {
      return make.op(op, inputs, out_, with, DType::f32, Format::nhwc);
    };
    TensorId y = add(Op::conv2d, {x, weights, make.floats({one_.channels}, bias_)}, parameters);
    if (one_.post_ops) y = add(Op::hswish, {y});
    if (one_.adds) y = add(Op::relu, {add(Op::add, {y, make.input(out_, DType::f32, Format::nhwc)})});
    return normalize(make.finish({y}));
  }

  std::vector<Bytes> fed() const {
    if (!one_.adds) return {bytes_of(x_)};
    return {bytes_of(x_), bytes_of(other_)};
  }

  std::vector<double> expected() const {
    const auto reals = [](const std::vector<float>& values) {
      return eigen::Reals(values.begin(), values.end());
    };
    std::vector<double> results = eigen::convolution(shape_, reals(x_), reals(weights_));
    for (size_t i = 0; i < results.size(); ++i)
      results[i] = finished(results[i] + bias_[i % bias_.size()], i);
    return results;
  }

 private:
  double finished(double v, size_t at) const {
    if (one_.activation != 0) v = std::max(v, 0.0);
    if (one_.activation == 2) v = std::min(v, 6.0);
    if (one_.post_ops) v *= std::clamp(v + 3, 0.0, 6.0) / 6;
    return one_.adds ? std::max(v + other_[at], 0.0) : v;
  }

  const Case& one_;
  Random random_;
  eigen::Convolution shape_;
  Shape out_;
  std::vector<float> x_, weights_, bias_, other_;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> kCases{
      {{1, 1, 1, 4}, 4},
      {{1, 4, 4, 4}, 8, {}, 1},
      {{1, 5, 7, 8}, 20, {}, 2},
      {{1, 6, 6, 12}, 4, {0, 0, 0, 0}},
      {{3, 9, 10, 8}, 12, {2, 0, 1, 3}, 1},
      {{2, 3, 17, 16}, 36, {}, 0, true},
      {{1, 13, 11, 4}, 16, {1, 1, 1, 1}, 0, false, true},
      {{2, 8, 8, 20}, 8, {0, 1, 0, 1}, 0, true, true},
      {{1, 3, 3, 8}, 4, {0, 0, 0, 0}, 0, false, false, false},
      {{1, 7, 7, 6}, 8},  // not a multiple of vec4: uses a direct kernel
      {{1, 7, 7, 8}, 10},
      {{1, 60, 58, 64}, 64, {}, 1},  // several slices
  };
  return kCases;
}

void expect_sums(const std::shared_ptr<Device>& device, std::span<const Case> of = cases()) {
  for (const Case& one : of) {
    SCOPED_TRACE(describe(one));
    const Problem problem(one);
    Random random(3);
    const auto got = run_guarded(*device, problem.graph(), problem.fed(), random, true);
    ASSERT_TRUE(got.ok()) << got.error().message;
    const std::vector<double> want = problem.expected();
    ASSERT_EQ(got.value()[0].size(), want.size() * sizeof(float));
    const auto* values = reinterpret_cast<const float*>(got.value()[0].data());
    const double scale =
        std::max(1.0, std::abs(*std::ranges::max_element(want, {}, [](double v) { return std::abs(v); })));
    for (size_t i = 0; i < want.size(); ++i) ASSERT_NEAR(values[i], want[i], 2e-5 * scale) << i;
  }
}

TEST(WinogradConvolutions, OfTilesOfFourAreTheSums) { expect_sums(shared_device("+winograd4")); }

TEST(WinogradConvolutions, OfTilesOfTwoAreTheSums) { expect_sums(shared_device("+winograd2")); }

// GPU tiles issue all loads together.
TEST(WinogradConvolutions, MatchWithGpuTiles) {
  vulkan::DevicePlan plan = first_plan();
  plan.is_software = false;
  for (const char* tiles : {"winograd4", "winograd2"}) {
    plan.kernels = {};
    plan.kernels.force(tiles);
    expect_sums(make_device(plan), std::span(cases()).first(9));
  }
}

// Uses GEMMs on storage buffers or shared memory, as on GPUs, or with views that cover only part of the
// operands.
TEST(WinogradConvolutions, MatchOnEveryGemmPath) {
  vulkan::DevicePlan plan = first_plan();
  for (const char* kind : {"register_tile", "shared_memory_tile", "texel_buffer"}) {
    plan.kernels = {};
    plan.kernels.force("winograd4");
    plan.kernels.force(kind);
    plan.max_texels = std::min<uint64_t>(plan.max_texels, 4096);
    expect_sums(make_device(plan), std::span(cases()).last(1));
  }
}

}  // namespace
}  // namespace nnrt::test
