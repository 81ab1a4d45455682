#include "backends/cpu/engine/plane_products.h"

#include "backends/cpu/engine/cpu_device.h"
#include "core/passes/check_rewrite.h"
#include "core/passes/normalize.h"
#include "tests/support/graph_maker.h"
#include "tests/support/tensor_views.h"

#include <algorithm>
#include <cstdlib>

namespace nnrt::cpu {
namespace {

using test::GraphMaker;

struct Case {
  const char* name;
  Shape x;  // NCHW
  int64_t filters = 1, kernel = 1, stride = 1, pad = 0, activation = 0;
  bool is_product = false;
};
std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

const Case kCases[] = {
    {.name = "line", .x = {1, 256, 1, 400}, .is_product = true},
    {.name = "odd", .x = {1, 7, 9, 5}, .is_product = true},
    {.name = "relu", .x = {1, 33, 3, 17}, .activation = 1, .is_product = true},
    {.name = "relu6", .x = {1, 1, 6, 6}, .activation = 2, .is_product = true},
    {.name = "images", .x = {2, 8, 4, 4}},
    {.name = "filters", .x = {1, 8, 4, 4}, .filters = 2},
    {.name = "taps", .x = {1, 8, 4, 4}, .kernel = 3, .pad = 1},
    {.name = "strides", .x = {1, 8, 4, 4}, .stride = 2},
    {.name = "padding", .x = {1, 8, 4, 4}, .pad = 1},
};

class PlaneProducts : public testing::TestWithParam<Case> {
 protected:
  void TearDown() override { unsetenv("NNRT_TEST_FUSE"); }
};

std::vector<float> numbers(int64_t count, int64_t factor) {
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(float(i * factor % 31 - 15) / 8);
  return values;
}

// `readers` convolutions of one input.
GraphPtr conv_graph(const Case& c, int readers = 1) {
  const auto out = [&](size_t d) { return (c.x[d] + 2 * c.pad - c.kernel) / c.stride + 1; };
  GraphMaker maker;
  const TensorId x = maker.input(c.x, DType::f32, Format::nchw);
  std::vector<TensorId> results;
  for (int i = 0; i < readers; ++i) {
    const Shape weight{c.filters, c.kernel, c.kernel, c.x[1]};
    const TensorId w = maker.constant<float>(weight, DType::f32, numbers(product(weight, 0, 4), 7 + i));
    const TensorId b = maker.constant<float>({c.filters}, DType::f32, numbers(c.filters, 3));
    results.push_back(maker.op(Op::conv2d, {x, w, b}, {c.x[0], c.filters, out(2), out(3)},
                               {maker.parameter<int64_t>(11, DType::i64, {c.stride, c.stride}),
                                maker.parameter<int64_t>(12, DType::i64, {c.pad, c.pad, c.pad, c.pad}),
                                maker.parameter<int8_t>(15, DType::i8, {int8_t(c.activation)})},
                               DType::f32, Format::nchw));
  }
  return normalize(maker.finish(results));
}

std::vector<float> run(const GraphPtr& graph) {
  const Shape& shape = graph->shapes[graph->inputs[0]];
  const std::vector<float> x = numbers(product(shape, 0, 4), 37);
  const std::vector<TensorView> inputs{test::view_of<float>(shape, x)};
  std::vector<OutputSlot> outputs(graph->outputs.size(), {{}, true});
  EXPECT_TRUE(make_device()->prepare(graph, {}).value()->run(inputs, outputs, {}).ok());
  return test::values_of<float>(outputs[0].view);
}

bool has(const Graph& graph, Op op) {
  return std::ranges::any_of(graph.nodes, [op](const Node& node) { return node.op == op; });
}

TEST_P(PlaneProducts, EqualConvolutions) {
  const GraphPtr graph = conv_graph(GetParam());
  const Graph rewritten = with_plane_products(*graph);
  EXPECT_EQ(has(rewritten, Op::matmul), GetParam().is_product);
  EXPECT_EQ(has(rewritten, Op::conv2d), !GetParam().is_product);
  const Status status = find_fault("plane_products", *graph, rewritten);
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message);
  const std::vector<float> with = run(graph);  // sums are exact
  EXPECT_EQ(setenv("NNRT_TEST_FUSE", "off", 1), 0);
  EXPECT_EQ(with, run(graph));
}

INSTANTIATE_TEST_SUITE_P(Cases, PlaneProducts, testing::ValuesIn(kCases),
                         [](const auto& c) { return std::string(c.param.name); });

TEST_F(PlaneProducts, KeepTransposesThatOthersRead) {
  const GraphPtr graph = conv_graph({.name = "", .x = {1, 8, 4, 4}}, 2);
  EXPECT_FALSE(has(with_plane_products(*graph), Op::matmul));
}

}  // namespace
}  // namespace nnrt::cpu
