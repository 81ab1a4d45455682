// Movement operators that copy less than they say.
#include "tests/device/device_fixture.h"

#include <array>
#include <cmath>
#include <numeric>
#include <optional>

namespace nnrt::test {
namespace {

// The channels of two tensors interleaved and cut in two parts, each of which an operator reads.
GraphPtr shuffled_parts(int pixels, int channels) {
  GraphMaker maker;
  const Shape one{pixels, channels}, both{pixels, 2 * channels};
  const TensorId a = maker.input(one), b = maker.input(one);
  const TensorId concatenated =
      maker.op(Op::concat, {a, b}, both, {maker.parameter<int64_t>(10, DType::i64, {1})});
  const TensorId groups =
      maker.op(Op::reshape, {concatenated, maker.ints({pixels, 2, channels})}, {pixels, 2, channels});
  const TensorId transposed = maker.op(Op::transpose, {groups, maker.ints({0, 2, 1})}, {pixels, channels, 2});
  const TensorId flat = maker.op(Op::reshape, {transposed, maker.ints({pixels, 2 * channels})}, both);
  const auto half = [&](int first) {
    return maker.op(Op::slice, {flat, maker.ints({0, first}), maker.ints({pixels, channels})}, one);
  };
  return maker.finish({maker.op(Op::sub, {half(0), half(channels)}, one)});
}

TEST(Moves, PartsOfShuffledChannelsAreWhatTheyWouldBeStepByStep) {
  const auto device = make_device();
  for (const auto& [pixels, channels] : {std::pair{9, 16}, {9, 6}, {3, 2}, {37, 58}, {700, 24}}) {
    std::vector<float> a(size_t(pixels) * size_t(channels)), b(a.size()), expected;
    std::iota(a.begin(), a.end(), 1.0f);
    std::iota(b.begin(), b.end(), 0.5f);
    for (float& value : b) value *= -2;
    for (size_t i = 0; i < a.size(); ++i) {
      const size_t row = i / size_t(channels) * size_t(channels), c = i % size_t(channels);
      const std::vector<float>& from = c % 2 == 0 ? a : b;
      expected.push_back(from[row + c / 2] - from[row + (c + size_t(channels)) / 2]);
    }
    const Shape shape{pixels, channels};
    const auto model = device->prepare(shuffled_parts(pixels, channels), {});
    ASSERT_TRUE(model.ok()) << model.error().message;
    EXPECT_EQ(floats_of(*model.value(), {view_of<float>(shape, a), view_of<float>(shape, b)}), expected)
        << pixels << "x" << channels;
  }
}

// Convolutions of the same input, side by side along the channel; or one of them alone.
class Branches {
 public:
  explicit Branches(std::optional<size_t> alone = {}) : alone_(alone) {}

  GraphPtr graph() {
    const TensorId x = maker_.input(kInput, DType::f32, Format::nhwc);
    const TensorId same = maker_.parameter<int8_t>(14, DType::i8, {0});
    std::vector<TensorId> made;
    for (size_t i = 0; i < kChannels.size(); ++i) {
      if (alone_ && *alone_ != i) continue;
      const int64_t kernel = i % 2 == 0 ? 1 : 3, channels = kChannels[i];
      const TensorId weight = constant({channels, kernel, kernel, 8}), bias = constant({channels});
      made.push_back(
          maker_.op(Op::conv2d, {x, weight, bias}, {1, 6, 5, channels}, {same}, DType::f32, Format::nhwc));
    }
    if (alone_) return normalize(maker_.finish(made));
    const TensorId axis = maker_.parameter<int64_t>(10, DType::i64, {3});
    const TensorId concatenated =
        maker_.op(Op::concat, made, {1, 6, 5, kAll}, {axis}, DType::f32, Format::nhwc);
    return normalize(maker_.finish({maker_.op(Op::abs, {concatenated}, {1, 6, 5, kAll})}));
  }

  static constexpr std::array<int64_t, 4> kChannels{12, 8, 20, 16};
  static constexpr int64_t kAll = 56;
  static inline const Shape kInput{1, 6, 5, 8};

 private:
  TensorId constant(Shape shape) {
    const int64_t count = product(shape, 0, shape.size());
    std::vector<float> values;
    for (int64_t i = 0; i < count; ++i) values.push_back(float((i * 37 + count) % 64 - 32) / 32);
    return maker_.floats(std::move(shape), values);
  }

  std::optional<size_t> alone_;
  GraphMaker maker_;
};

TEST(Moves, ConvolutionsStoreWhatIsConcatenatedWhereItBelongs) {
  std::vector<float> x;
  for (int i = 0; i < 240; ++i) x.push_back(float(i * 29 % 61 - 30) / 16);
  const std::vector<TensorView> inputs{view_of<float>(Branches::kInput, x)};
  vulkan::DevicePlan optimized = first_plan(), fast_compile = optimized, winograd = optimized;
  fast_compile.shaders = vulkan::Shaders::fast_compile;
  winograd.kernels.force("winograd4");
  for (const vulkan::DevicePlan& plan : {optimized, fast_compile, winograd}) {
    const auto device = make_device(plan);
    const std::vector<float> got = floats_of(*prepare(*device, Branches().graph()), inputs);
    ASSERT_EQ(got.size(), size_t(30 * Branches::kAll));
    size_t first = 0;
    for (size_t branch = 0; branch < Branches::kChannels.size(); ++branch) {
      const auto channels = size_t(Branches::kChannels[branch]);
      const std::vector<float> alone = floats_of(*prepare(*device, Branches(branch).graph()), inputs);
      ASSERT_EQ(alone.size(), 30 * channels);
      for (size_t i = 0; i < alone.size(); ++i) {
        EXPECT_EQ(got[i / channels * size_t(Branches::kAll) + first + i % channels], std::abs(alone[i]))
            << branch << ", " << i;
      }
      first += channels;
    }
  }
}

}  // namespace
}  // namespace nnrt::test
