#include "tests/support/lowered_node.h"

namespace nnrt::test {
namespace {

LoweredNode conv3d(Shape in, Shape weight, Shape out, Format format) {
  LoweredNode node(Op::conv3d);
  const int64_t channels = weight[0];
  node.input(std::move(in), DType::f32, {}, format).input(std::move(weight)).input({channels});
  return node.output(std::move(out));
}

TEST(LowerConv3d, VectorizesInnermostChannels) {
  const auto last = conv3d({1, 3, 3, 3, 8}, {6, 2, 2, 2, 8}, {1, 2, 2, 2, 6}, Format::nhwc).lower();
  EXPECT_EQ(last.dispatch().shader, "conv3d_f32_vec4");
  EXPECT_EQ(last.dispatch().constants, (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(last.dispatch().threads, (vulkan::Size3{8 * 2, 1, 1}));  // four of six channels, then two
  const auto first = conv3d({1, 8, 3, 3, 3}, {6, 2, 2, 2, 8}, {1, 6, 2, 2, 2}, Format::nchw).lower();
  EXPECT_EQ(first.dispatch().shader, "conv3d_f32");
  EXPECT_EQ(first.dispatch().constants, (std::vector<uint32_t>{0, 0}));
}

}  // namespace
}  // namespace nnrt::test
