// Movement operators behind each other are copied at once.
#include "tests/device/fixture.h"

#include <numeric>

namespace nnrt::test {
namespace {

// The channels of two tensors in turns, cut in two halves; each half is read by an operator.
GraphPtr shuffled_halves(int pixels, int channels) {
  GraphMaker maker;
  const Shape one{pixels, channels}, both{pixels, 2 * channels};
  const TensorId a = maker.input(one), b = maker.input(one);
  const TensorId joined = maker.op(Op::concat, {a, b}, both, {maker.parameter<int64_t>(10, DType::i64, {1})});
  const TensorId groups =
      maker.op(Op::reshape, {joined, maker.ints({pixels, 2, channels})}, {pixels, 2, channels});
  const TensorId turned = maker.op(Op::transpose, {groups, maker.ints({0, 2, 1})}, {pixels, channels, 2});
  const TensorId flat = maker.op(Op::reshape, {turned, maker.ints({pixels, 2 * channels})}, both);
  const auto half = [&](int first) {
    return maker.op(Op::slice, {flat, maker.ints({0, first}), maker.ints({pixels, channels})}, one);
  };
  return maker.finish({maker.op(Op::sub, {half(0), half(channels)}, one)});
}

TEST(Moves, HalvesOfShuffledChannelsAreWhatTheyWouldBeStepByStep) {
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
    const auto model = device->prepare(shuffled_halves(pixels, channels), {});
    ASSERT_TRUE(model.ok()) << model.error().message;
    EXPECT_EQ(floats_of(*model.value(), {view_of<float>(shape, a), view_of<float>(shape, b)}), expected)
        << pixels << "x" << channels;
  }
}

}  // namespace
}  // namespace nnrt::test
