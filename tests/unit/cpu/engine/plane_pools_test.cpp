#include "backends/cpu/engine/plane_pools.h"

#include "backends/cpu/engine/cpu_device.h"
#include "core/passes/check_rewrite.h"
#include "core/passes/normalize.h"
#include "tests/support/graph_maker.h"
#include "tests/support/tensor_views.h"

#include <cstdlib>

namespace nnrt::cpu {
namespace {

using test::GraphMaker;

struct Case {
  const char* name;
  Op op;
  Shape x;  // NCHW
  int64_t kernel, stride, pad;
  bool has_planes;  // the transposes go away
};
std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

const Case kCases[] = {
    {"mean", Op::avg_pool, {2, 3, 20, 40}, 3, 2, 1, true},
    {"maximum", Op::max_pool, {1, 24, 9, 40}, 3, 1, 1, true},
    {"narrow", Op::max_pool, {1, 24, 9, 9}, 3, 1, 1, false},
    {"few_narrow_channels", Op::avg_pool, {2, 5, 7, 6}, 2, 2, 0, true},
};

class PlanePools : public testing::TestWithParam<Case> {
 protected:
  void TearDown() override { unsetenv("NNRT_TEST_FUSE"); }
};

struct Numbers {
  int kernel, stride, pad;
};

GraphPtr pool_graph(const Case& c) {
  const Numbers numbers = c.op == Op::avg_pool ? Numbers{2, 3, 5} : Numbers{36, 37, 39};
  const auto out = [&](size_t d) { return (c.x[d] + 2 * c.pad - c.kernel) / c.stride + 1; };
  GraphMaker maker;
  const TensorId x = maker.input(c.x, DType::f32, Format::nchw);
  const TensorId y =
      maker.op(c.op, {x}, {c.x[0], c.x[1], out(2), out(3)},
               {maker.parameter<int64_t>(numbers.kernel, DType::i64, {c.kernel, c.kernel}),
                maker.parameter<int64_t>(numbers.stride, DType::i64, {c.stride, c.stride}),
                maker.parameter<int64_t>(numbers.pad, DType::i64, {c.pad, c.pad, c.pad, c.pad})},
               DType::f32, Format::nchw);
  return normalize(maker.finish({y}));
}

std::vector<float> run(const GraphPtr& graph) {
  const Shape& shape = graph->shapes[graph->inputs[0]];
  std::vector<float> x;
  for (int64_t i = 0; i < product(shape, 0, 4); ++i) x.push_back(float(i * 37 % 101) - 50);
  const std::vector<TensorView> inputs{test::view_of<float>(shape, x)};
  const auto model = make_device()->prepare(graph, {}).value();
  const Shape& result = graph->shapes[graph->outputs[0]];
  std::vector<OutputSlot> outputs{{test::empty_view(size_t(product(result, 0, 4)) * sizeof(float)), false}};
  EXPECT_TRUE(model->run(inputs, outputs, {}).ok());
  return test::values_of<float>(outputs[0].view);
}

TEST_P(PlanePools, DropTransposesAndNothingElse) {
  const GraphPtr graph = pool_graph(GetParam());
  ASSERT_EQ(graph->nodes.size(), 3u);
  const Graph rewritten = with_plane_pools(*graph);
  EXPECT_EQ(rewritten.nodes.size(), GetParam().has_planes ? 1u : 3u);
  const Status status = find_fault("plane_pools", *graph, rewritten, {.planes = true});
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message);
  EXPECT_EQ(find_fault("plane_pools", *graph, rewritten).ok(), !GetParam().has_planes);
  const std::vector<float> with = run(graph);
  EXPECT_EQ(setenv("NNRT_TEST_FUSE", "off", 1), 0);
  EXPECT_EQ(with, run(graph));
}

INSTANTIATE_TEST_SUITE_P(Cases, PlanePools, testing::ValuesIn(kCases),
                         [](const auto& c) { return std::string(c.param.name); });

TEST_F(PlanePools, GlobalPoolsOfAnySize) {
  GraphMaker maker;
  const TensorId x = maker.input({2, 33, 7, 5}, DType::f32, Format::nchw);
  const TensorId y = maker.op(Op::avg_pool, {x}, {2, 33, 1, 1},
                              {maker.parameter<int8_t>(110, DType::boolean, {1})}, DType::f32, Format::nchw);
  const GraphPtr graph = normalize(maker.finish({y}));
  EXPECT_EQ(with_plane_pools(*graph).nodes.size(), 1u);
  const std::vector<float> with = run(graph);
  EXPECT_EQ(setenv("NNRT_TEST_FUSE", "off", 1), 0);
  EXPECT_EQ(with, run(graph));
}

// INT8, with and without another quantization of the result.
TEST_F(PlanePools, GlobalPoolsOfBytes) {
  const auto result_of = [](const GraphPtr& graph) {
    const Shape& shape = graph->shapes[graph->inputs[0]];
    std::vector<int8_t> x;
    for (int64_t i = 0; i < product(shape, 0, 4); ++i) x.push_back(int8_t(i * 37 % 119 + i / 35 % 7 - 65));
    const std::vector<TensorView> inputs{test::view_of<int8_t>(shape, x)};
    std::vector<OutputSlot> outputs(1, {{}, true});
    EXPECT_TRUE(make_device()->prepare(graph, {}).value()->run(inputs, outputs, {}).ok());
    return test::values_of<int8_t>(outputs[0].view);
  };
  for (const Op op : {Op::avg_pool, Op::max_pool}) {
    for (const Quant& to : {Quant{{0.05}, {3}}, Quant{{0.013}, {-17}}, Quant{{0.013}, {-17}, true}}) {
      GraphMaker maker;
      const TensorId x = maker.input({2, 33, 7, 5}, DType::i8, Format::nchw);
      const int global = op == Op::avg_pool ? 110 : 115;
      const TensorId y = maker.op(op, {x}, {2, 33, 1, 1},
                                  {maker.parameter<int8_t>(global, DType::boolean, {1}),
                                   maker.parameter<int8_t>(1130, DType::boolean, {to.ties_to_even})},
                                  DType::i8, Format::nchw);
      EXPECT_TRUE(maker.builder().set_quant(x, {{0.05}, {3}}).ok());
      EXPECT_TRUE(maker.builder().set_quant(y, to).ok());
      const GraphPtr graph = normalize(maker.finish({y}));
      const Graph rewritten = with_plane_pools(*graph);
      EXPECT_EQ(rewritten.nodes.size(), 1u);
      EXPECT_TRUE(find_fault("plane_pools", *graph, rewritten, {.planes = true}).ok());
      const std::vector<int8_t> with = result_of(graph);
      EXPECT_EQ(setenv("NNRT_TEST_FUSE", "off", 1), 0);
      EXPECT_EQ(with, result_of(graph));
      unsetenv("NNRT_TEST_FUSE");
    }
  }
}

// Other readers of the transposed data, or of the result, need the transposes anyway.
TEST_F(PlanePools, KeepTransposesThatOthersRead) {
  GraphMaker maker;
  const TensorId x = maker.input({1, 3, 8, 40}, DType::f32, Format::nchw);
  std::vector<TensorId> pools;
  for (const int kernel : {2, 3})
    pools.push_back(maker.op(Op::max_pool, {x}, {1, 3, 8 - kernel + 1, 40 - kernel + 1},
                             {maker.parameter<int64_t>(36, DType::i64, {kernel, kernel})}, DType::f32,
                             Format::nchw));
  const GraphPtr graph = normalize(maker.finish(pools));
  EXPECT_EQ(with_plane_pools(*graph).nodes.size(), graph->nodes.size());
}

}  // namespace
}  // namespace nnrt::cpu
