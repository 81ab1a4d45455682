#include "backends/cpu/simd/isa.h"
#include "tests/support/linear_algebra/eigen_oracle.h"
#include "tests/support/node_maker.h"
#include "tests/support/random/random.h"

namespace nnrt::test {
namespace {

// A layer with a filter for each channel of x.
void expect_right(eigen::Convolution layer) {
  layer.groups = layer.x[3];
  SCOPED_TRACE(layer);
  Random random(7);
  const auto numbers = [&](const Shape& shape) {
    std::vector<float> values;
    for (int64_t i = 0; i < *element_count(shape); ++i) values.push_back(float(random.real(-1, 1)));
    return values;
  };
  const std::vector<float> x = numbers(layer.x), w = numbers(layer.w), bias = numbers({layer.groups});
  const eigen::Reals want =
      eigen::convolution(layer, eigen::Reals(x.begin(), x.end()), eigen::Reals(w.begin(), w.end()));
  for (const cpu::Isa isa : {cpu::Isa::baseline, cpu::Isa::avx2, cpu::Isa::avx512}) {
    const cpu::IsaLimit limit(isa);
    NodeMaker node(Op::depthwise_conv2d_native);
    node.input(layer.x, x, {}, Format::nhwc)
        .input(layer.w, w)
        .input({layer.groups}, bias)
        .integer(Attr::stride, layer.stride)
        .integer(Attr::dilation, layer.dilation)
        .integer(Attr::pad, layer.pad)
        .output(DType::f32, layer.result());
    ASSERT_TRUE(node.run());
    const std::vector<float> got = node.result<float>();
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < want.size(); ++i)
      ASSERT_NEAR(got[i], want[i] + double(bias[i % bias.size()]), 1e-5) << i;
  }
}

// Rows go in pairs and pixels in blocks; both leave a rest, and borders.
TEST(DepthwiseConv, EverySizeIsRight) {
  for (const int64_t size : {3, 5, 7})
    for (const int64_t stride : {1, 2})
      for (const int64_t channels : {3, 8, 16, 24})
        for (int64_t height = 1; height <= 6; ++height)
          for (const int64_t width : {1, 4, 7, 14, 21})
            expect_right({{1, height, width, channels},
                          {channels, size, size, 1},
                          {stride, stride},
                          {1, 1},
                          {size / 2, size / 2, size / 2, size / 2}});
}

TEST(DepthwiseConv, RowsAndColumnsDiffer) {
  for (const int64_t channels : {5, 16, 40}) {
    expect_right({{1, 9, 12, channels}, {channels, 5, 3, 1}, {1, 1}, {1, 1}, {2, 2, 1, 1}});
    expect_right({{1, 9, 12, channels}, {channels, 3, 5, 1}, {1, 1}, {1, 1}, {0, 1, 2, 0}});
    expect_right({{1, 9, 12, channels}, {channels, 3, 3, 1}, {2, 1}, {1, 1}, {1, 1, 1, 1}});
    expect_right({{1, 9, 12, channels}, {channels, 3, 3, 1}, {1, 2}, {1, 1}, {1, 0, 0, 1}});
    expect_right({{1, 9, 12, channels}, {channels, 3, 3, 1}, {1, 1}, {2, 1}, {2, 2, 1, 1}});
    expect_right({{1, 9, 12, channels}, {channels, 3, 3, 1}, {1, 1}, {1, 2}, {1, 1, 2, 2}});
    expect_right({{1, 9, 12, channels}, {channels, 2, 4, 1}, {3, 3}, {1, 1}, {1, 1, 2, 2}});
  }
}

TEST(DepthwiseConv, OutputsMayReadPaddingOnly) {
  for (const int64_t channels : {5, 16})
    for (const int64_t stride : {1, 2})
      for (const int64_t side : {0, 2})  // of the first padding
        for (const int64_t size : {3, 5}) {
          eigen::Convolution layer{{1, 6, 20, channels}, {channels, size, size, 1}, {stride, stride}};
          layer.pad[size_t(side)] = 2 * size;
          expect_right(layer);
          std::swap(layer.pad[size_t(side)], layer.pad[size_t(side) + 1]);
          expect_right(layer);
        }
}

}  // namespace
}  // namespace nnrt::test
