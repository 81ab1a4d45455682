#include "backends/cpu/simd/isa.h"
#include "tests/support/node_maker.h"
#include "tests/support/random/random.h"

namespace nnrt::test {
namespace {

struct Layer {
  int64_t height, width, channels;
  std::array<int64_t, 2> kernel, stride{1, 1}, dilation{1, 1};
  std::array<int64_t, 4> pad{};  // top, bottom, left, right

  int64_t out(size_t axis) const {
    const int64_t in = axis == 0 ? height : width;
    const int64_t reach = (kernel[axis] - 1) * dilation[axis] + 1;
    return (in + pad[2 * axis] + pad[2 * axis + 1] - reach) / stride[axis] + 1;
  }
};

std::ostream& operator<<(std::ostream& to, const Layer& layer) {
  return to << layer.height << 'x' << layer.width << 'x' << layer.channels << ", kernel " << layer.kernel[0]
            << 'x' << layer.kernel[1] << ", stride " << layer.stride[0] << 'x' << layer.stride[1]
            << ", dilation " << layer.dilation[0] << 'x' << layer.dilation[1] << ", pad " << layer.pad[0]
            << ' ' << layer.pad[1] << ' ' << layer.pad[2] << ' ' << layer.pad[3];
}

std::vector<double> convolved(const Layer& layer, const std::vector<float>& image,
                              const std::vector<float>& weights, const std::vector<float>& bias) {
  std::vector<double> sums;
  for (int64_t y = 0; y < layer.out(0); ++y)
    for (int64_t x = 0; x < layer.out(1); ++x)
      for (int64_t c = 0; c < layer.channels; ++c) {
        double sum = bias[size_t(c)];
        for (int64_t u = 0; u < layer.kernel[0]; ++u)
          for (int64_t v = 0; v < layer.kernel[1]; ++v) {
            const int64_t in_y = y * layer.stride[0] - layer.pad[0] + u * layer.dilation[0];
            const int64_t in_x = x * layer.stride[1] - layer.pad[2] + v * layer.dilation[1];
            if (in_y < 0 || in_y >= layer.height || in_x < 0 || in_x >= layer.width) continue;
            sum += double(image[size_t((in_y * layer.width + in_x) * layer.channels + c)]) *
                   double(weights[size_t((c * layer.kernel[0] + u) * layer.kernel[1] + v)]);
          }
        sums.push_back(sum);
      }
  return sums;
}

void expect_right(const Layer& layer) {
  SCOPED_TRACE(layer);
  Random random(7);
  const auto numbers = [&](int64_t count) {
    std::vector<float> values;
    for (int64_t i = 0; i < count; ++i) values.push_back(float(random.real(-1, 1)));
    return values;
  };
  const auto [height, width] = layer.kernel;
  const std::vector<float> image = numbers(layer.height * layer.width * layer.channels);
  const std::vector<float> weights = numbers(layer.channels * height * width), bias = numbers(layer.channels);
  const std::vector<double> want = convolved(layer, image, weights, bias);
  for (const cpu::Isa isa : {cpu::Isa::baseline, cpu::Isa::avx2, cpu::Isa::avx512}) {
    const cpu::IsaLimit limit(isa);
    const auto& pad = layer.pad;
    NodeMaker node(Op::depthwise_conv2d_native);
    node.input({1, layer.height, layer.width, layer.channels}, image, {}, Format::nhwc)
        .input({layer.channels, height, width, 1}, weights)
        .input({layer.channels}, bias)
        .integer(Attr::stride, {double(layer.stride[0]), double(layer.stride[1])})
        .integer(Attr::dilation, {double(layer.dilation[0]), double(layer.dilation[1])})
        .integer(Attr::pad, {double(pad[0]), double(pad[1]), double(pad[2]), double(pad[3])})
        .output(DType::f32, {1, layer.out(0), layer.out(1), layer.channels});
    ASSERT_TRUE(node.run());
    const std::vector<float> got = node.result<float>();
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < want.size(); ++i) ASSERT_NEAR(got[i], want[i], 1e-5) << i;
  }
}

// Rows go in pairs and pixels in blocks; both leave a rest, and borders.
TEST(DepthwiseConv, EverySizeIsRight) {
  for (const int64_t size : {3, 5, 7})
    for (const int64_t stride : {1, 2})
      for (const int64_t channels : {16, 24})
        for (int64_t height = 1; height <= 6; ++height)
          for (const int64_t width : {1, 4, 7, 14, 21})
            expect_right({height,
                          width,
                          channels,
                          {size, size},
                          {stride, stride},
                          {1, 1},
                          {size / 2, size / 2, size / 2, size / 2}});
}

TEST(DepthwiseConv, RowsAndColumnsDiffer) {
  for (const int64_t channels : {5, 16, 40}) {
    expect_right({9, 12, channels, {5, 3}, {1, 1}, {1, 1}, {2, 2, 1, 1}});
    expect_right({9, 12, channels, {3, 5}, {1, 1}, {1, 1}, {0, 1, 2, 0}});
    expect_right({9, 12, channels, {3, 3}, {2, 1}, {1, 1}, {1, 1, 1, 1}});
    expect_right({9, 12, channels, {3, 3}, {1, 2}, {1, 1}, {1, 0, 0, 1}});
    expect_right({9, 12, channels, {3, 3}, {1, 1}, {2, 1}, {2, 2, 1, 1}});
    expect_right({9, 12, channels, {3, 3}, {1, 1}, {1, 2}, {1, 1, 2, 2}});
    expect_right({9, 12, channels, {2, 4}, {3, 3}, {1, 1}, {1, 1, 2, 2}});
  }
}

TEST(DepthwiseConv, OutputsMayReadPaddingOnly) {
  for (const int64_t stride : {1, 2})
    for (const int64_t side : {0, 2})  // of the first padding
      for (const int64_t size : {3, 5}) {
        Layer layer{6, 20, 16, {size, size}, {stride, stride}};
        layer.pad[size_t(side)] = 2 * size;
        expect_right(layer);
        std::swap(layer.pad[size_t(side)], layer.pad[size_t(side) + 1]);
        expect_right(layer);
      }
}

}  // namespace
}  // namespace nnrt::test
