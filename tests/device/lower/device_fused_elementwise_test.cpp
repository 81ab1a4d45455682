// Fused elementwise operators (Node::then) are computed in one dispatch.
#include "tests/device/device_fixture.h"

#include <cmath>

namespace nnrt::test {
namespace {

TEST(FusedElementwise, MatchesUnfusedOperators) {
  GraphMaker maker;
  const TensorId x = maker.input({3, 8}), y = maker.input({8}), z = maker.input({3, 8});
  Graph graph = *maker.finish({maker.op(Op::sigmoid, {x}, {3, 8})});
  graph.nodes[0].inputs = {x, y, z};
  graph.nodes[0].post_ops = {{Op::mul, {}, 1, false}, {Op::sub, {}, 2, true}, {Op::relu, {}, {}, false}};
  std::vector<float> a, b, c, expected;
  for (int i = 0; i < 24; ++i) {
    a.push_back(0.25f * float(i - 12));
    if (i < 8) b.push_back(float(i) - 3);
    c.push_back(0.5f * float(i % 5) - 1);
    const float sigmoid = 1 / (1 + std::exp(-a.back()));
    expected.push_back(std::max(c.back() - sigmoid * (float(i % 8) - 3), 0.0f));
  }
  const auto device = make_device();
  const auto model = device->prepare(std::make_shared<const Graph>(graph), {});
  ASSERT_TRUE(model.ok()) << model.error().message;
  const std::vector<float> got = floats_of(
      *model.value(), {view_of<float>({3, 8}, a), view_of<float>({8}, b), view_of<float>({3, 8}, c)});
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-5f) << i;
}

}  // namespace
}  // namespace nnrt::test
