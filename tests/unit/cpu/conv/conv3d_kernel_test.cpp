#include "tests/support/node_maker.h"

#include <vector>

namespace nnrt::cpu {
namespace {

using test::NodeMaker;

// [N, C, cells] to [N, cells, C].
std::vector<float> channels_last(const std::vector<float>& x, int64_t batch, int64_t channels) {
  const int64_t cells = int64_t(x.size()) / batch / channels;
  std::vector<float> y(x.size());
  for (int64_t i = 0; i < int64_t(x.size()); ++i) {
    const int64_t n = i / cells / channels, c = i / cells % channels, cell = i % cells;
    y[size_t((n * cells + cell) * channels + c)] = x[size_t(i)];
  }
  return y;
}

std::vector<float> numbers(size_t count, uint32_t factor) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = float(int(i * factor % 33) - 16) / 8;
  return values;
}

// With a depth of one it equals CONV2D, in both layouts, including columns copied in several blocks.
TEST(Conv3d, IsConv2dForPlanes) {
  constexpr int64_t kBatch = 2, kIn = 40, kOut = 7, kSize = 150;
  const std::vector<float> x = numbers(size_t(kBatch * kIn * kSize * kSize), 7);
  const std::vector<float> w = numbers(size_t(kOut * 9 * kIn), 5), b = numbers(size_t(kOut), 3);
  const auto inner = channels_last(x, kBatch, kIn);
  const auto want = NodeMaker(Op::conv2d)
                        .integer(Attr::pad, {1, 1, 1, 1})
                        .input({kBatch, kSize, kSize, kIn}, inner)
                        .input({kOut, 3, 3, kIn}, w)
                        .input({kOut}, b)
                        .output(DType::f32, {kBatch, kSize, kSize, kOut})
                        .run_for<float>();
  const auto conv = [&](const std::vector<float>& data, Shape shape, Shape result, Format format) {
    return NodeMaker(Op::conv3d)
        .integer(Attr::pad, {0, 0, 1, 1, 1, 1})
        .input(std::move(shape), data, {}, format)
        .input({kOut, 1, 3, 3, kIn}, w)
        .input({kOut}, b)
        .output(DType::f32, std::move(result))
        .run_for<float>();
  };
  const auto last =
      conv(inner, {kBatch, 1, kSize, kSize, kIn}, {kBatch, 1, kSize, kSize, kOut}, Format::nhwc);
  EXPECT_EQ(last, want);  // sums of eighths are exact
  const auto first = conv(x, {kBatch, kIn, 1, kSize, kSize}, {kBatch, kOut, 1, kSize, kSize}, Format::nchw);
  EXPECT_EQ(channels_last(first, kBatch, kOut), want);
}

}  // namespace
}  // namespace nnrt::cpu
