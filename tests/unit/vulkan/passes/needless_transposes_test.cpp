#include "backends/vulkan/passes/needless_transposes.h"

#include "tests/support/graph_maker.h"

namespace nnrt::vulkan {
namespace {

// A convolution of a TRANSPOSE's result.
struct Images : test::GraphMaker {
  explicit Images(const std::vector<int32_t>& order, const Shape& planes = {1, 3, 8, 8}) {
    x = input(planes);
    for (size_t d = 0; d < 4; ++d) image.push_back(planes[size_t(order[d])]);
    y = op(Op::transpose, {x, ints(order)}, image);
    const auto zeros = [&](const Shape& shape) {
      return floats(shape, std::vector<float>(size_t(*element_count(shape))));
    };
    z = op(Op::conv2d, {y, zeros({4, 1, 1, image[3]}), zeros({4})}, {image[0], image[1], image[2], 4}, {},
           DType::f32, Format::nhwc);
  }

  TensorId x = 0, y = 0, z = 0;
  Shape image;
};

bool defers(const GraphPtr& graph) {
  NeedlessTransposes transposes(*graph, graph->shapes, true);
  return transposes.defer(graph->nodes[0]);
}

TEST(NeedlessTransposes, OfAnImageThatAConvolutionReadsWaitForIt) {
  Images images({0, 2, 3, 1});
  const GraphPtr graph = images.finish({images.z});
  NeedlessTransposes transposes(*graph, graph->shapes, true);
  EXPECT_FALSE(transposes.take(images.y));
  ASSERT_TRUE(transposes.defer(graph->nodes[0]));
  EXPECT_FALSE(transposes.defer(graph->nodes[1]));
  EXPECT_EQ(transposes.take(images.y), images.x);
  EXPECT_EQ(transposes.needed_by(graph->nodes[1]), nullptr);
}

TEST(NeedlessTransposes, AreNeededWhereNobodyTakesTheirOperand) {
  Images images({0, 2, 3, 1});
  const GraphPtr graph = images.finish({images.z});
  NeedlessTransposes transposes(*graph, graph->shapes, true);
  ASSERT_TRUE(transposes.defer(graph->nodes[0]));
  EXPECT_EQ(transposes.needed_by(graph->nodes[1]), &graph->nodes[0]);
  EXPECT_FALSE(transposes.take(images.y));
}

TEST(NeedlessTransposes, AreThoseOfPlanesToPixelsThatNothingElseReads) {
  Images other({0, 3, 2, 1});
  EXPECT_FALSE(defers(other.finish({other.z})));
  Images output({0, 2, 3, 1});
  EXPECT_FALSE(defers(output.finish({output.z, output.y})));
  Images read({0, 2, 3, 1});
  EXPECT_FALSE(defers(read.finish({read.z, read.op(Op::relu, {read.y}, read.image)})));
  Images one_channel({0, 2, 3, 1}, {2, 1, 8, 8});  // moves nothing
  EXPECT_FALSE(defers(one_channel.finish({one_channel.z})));
}

}  // namespace
}  // namespace nnrt::vulkan
