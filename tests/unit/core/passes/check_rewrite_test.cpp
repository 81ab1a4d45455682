// Planted faults in passes are detected, and the message names them.
#include "core/passes/check_rewrite.h"

#include "core/passes/drop_weights.h"
#include "core/passes/fuse.h"
#include "core/passes/normalize.h"
#include "core/passes/simplify.h"
#include "tests/support/graph_maker.h"
#include "tests/support/random/random_graph.h"
#include "tests/support/test_settings.h"

#include <cstdlib>
#include <functional>

namespace nnrt {
namespace {

using test::GraphMaker;

void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "\"" << text << "\" lacks \"" << part << "\"";
}

// x -> RELU -> PRELU with a slope per channel -> ABS; every tensor NHWC.
struct Model {
  GraphMaker make;
  Shape shape{1, 4, 4, 4};
  TensorId x = make.input(shape, DType::f32, Format::nhwc);
  TensorId slopes = make.floats({4}, {1, 2, 3, 4});
  TensorId a = make.op(Op::relu, {x}, shape, {}, DType::f32, Format::nhwc);
  TensorId b = make.op(Op::prelu, {a, slopes}, shape, {}, DType::f32, Format::nhwc);
  TensorId y = make.op(Op::abs, {b}, shape, {}, DType::f32, Format::nhwc);
  TensorId three = make.floats({3}, {1, 2, 3});  // unused
  Graph graph = *make.finish({y});
};

// The fault found if a pass makes this change; "" for none.
std::string fault(const std::function<void(Graph&)>& pass, const RewriteRights& rights = {}) {
  const Model model;
  Graph after = model.graph;
  pass(after);
  const Status status = find_fault("a pass", model.graph, after, rights);
  if (status.ok()) return "";
  EXPECT_EQ(status.error().code, Code::failed);
  expect_part(status.error().message, "after a pass");
  return status.error().message;
}

TEST(CheckRewrite, AcceptsValidRewrites) {
  EXPECT_EQ(fault([](Graph&) {}), "");
}

TEST(CheckRewrite, FindsALostFormat) {
  // PRELU reads the same bytes with another format.
  const auto pass = [](Graph& graph) {
    Tensor other = graph.tensors[graph.nodes[0].outputs[0]];
    other.format = Format::nchw;
    other.name = "other";
    graph.shapes.push_back(other.shape);
    graph.tensors.push_back(std::move(other));
    graph.nodes[0].outputs = {TensorId(graph.tensors.size() - 1)};
    graph.nodes[1].inputs[0] = graph.nodes[0].outputs[0];
  };
  expect_part(fault(pass), "Format of output 0 (NHWC) does not match the input's (NCHW).");
  // It also declares its output as such: readers would treat it as NCHW.
  const auto thoroughly = [&](Graph& graph) {
    pass(graph);
    graph.nodes[1].format = Format::nchw;
  };
  EXPECT_EQ(
      fault(thoroughly),
      "Its data, tensor 6 (other), is read as NCHW, and was read as NHWC from tensor 2 (Tensor: 2). While "
      "checking OH_NN_OPS_PRELU (operation 1) after a pass.");
  const auto keeping = [&](Graph& graph) {
    pass(graph);
    graph.nodes[1].format = Format::nhwc;
  };
  EXPECT_EQ(fault(keeping), "");
}

TEST(CheckRewrite, FindsAChangedTensor) {
  const auto changed = [](const auto& change) {
    return fault([&](Graph& graph) { change(graph, graph.tensors[graph.nodes[0].outputs[0]]); });
  };
  expect_part(changed([](Graph&, Tensor& tensor) { tensor.format = Format::nchw; }),
              "The format of tensor 2 (Tensor: 2) has changed.");
  expect_part(changed([](Graph&, Tensor& tensor) { tensor.dtype = DType::f16; }),
              "The dtype of tensor 2 (Tensor: 2) has changed.");
  expect_part(changed([](Graph&, Tensor& tensor) {
                tensor.quant = {{0.5}, {1}};
              }),
              "The quantization of tensor 2 (Tensor: 2) has changed.");
  expect_part(changed([](Graph&, Tensor& tensor) { tensor.shape = {64}; }),
              "The shape of tensor 2 (Tensor: 2) has changed.");
  expect_part(changed([](Graph& graph, Tensor&) { graph.shapes[2] = {64}; }),
              "The shape of tensor 2 (Tensor: 2) has changed.");
  expect_part(changed([](Graph& graph, Tensor&) {
                graph.tensors[1].data = std::make_shared<const Bytes>(4 * sizeof(float));
              }),
              "The constant of tensor 1 (Tensor: 1) has changed.");
}

TEST(CheckRewrite, FindsABrokenOrder) {
  EXPECT_EQ(
      fault([](Graph& graph) { std::swap(graph.nodes[0], graph.nodes[1]); }),
      "Tensor 2 is read before it is written. While checking OH_NN_OPS_PRELU (operation 1) after a pass.");
}

TEST(CheckRewrite, FindsDuplicateAndMissingWrites) {
  expect_part(fault([](Graph& graph) { graph.nodes.push_back(graph.nodes[0]); }),
              "Tensor 2 is written, but already has a value.");
  expect_part(fault([](Graph& graph) { graph.nodes.pop_back(); }), "No operation writes output tensor 4.");
}

TEST(CheckRewrite, DetectsMissingTensors) {
  expect_part(fault([](Graph& graph) { graph.nodes[0].inputs[0] = 77; }), "Tensor (77) does not exist.");
  expect_part(fault([](Graph& graph) { graph.tensors.pop_back(); }), "There are 5 tensors");
  expect_part(fault([](Graph& graph) { graph.shapes.pop_back(); }), "with 5 shapes");
}

TEST(CheckRewrite, FindsOtherEnds) {
  expect_part(fault([](Graph& graph) { graph.outputs = {2, 4}; }), "The outputs have changed");
  expect_part(fault([](Graph& graph) { graph.inputs.clear(); }), "The inputs have changed");
}

TEST(CheckRewrite, DetectsRuleViolations) {
  expect_part(fault([](Graph& graph) { graph.nodes[0].inputs[0] = graph.nodes[1].inputs[1]; }),
              "While checking OH_NN_OPS_RELU (operation 0)");  // another shape
  expect_part(fault([](Graph& graph) { graph.nodes[1].inputs.pop_back(); }),
              "Number of inputs (1) is not 2.");
  expect_part(fault([](Graph& graph) {
                graph.nodes[0].post_ops.push_back({Op::add, {}, 5, false});
              }),
              "A step reads input 5, which is not one of its inputs.");
  const auto with_step = [](TensorId operand) {
    return fault([=](Graph& graph) {
      Node& relu = graph.nodes[0];
      relu.inputs.push_back(operand);
      relu.post_ops.push_back({Op::sub, {}, 1, true});
    });
  };
  const Model model;
  EXPECT_EQ(with_step(model.slopes), "");
  expect_part(with_step(model.three), "While checking its step OH_NN_OPS_SUB.");
}

TEST(CheckRewrite, FindsReadersOfOtherCodes) {
  GraphMaker make;
  const auto quantized = [&](TensorId id, double scale) {
    EXPECT_TRUE(make.builder().set_quant(id, {{scale}, {0}}).ok());
    return id;
  };
  const TensorId x = quantized(make.input({2, 3}, DType::i8), 0.5);
  const TensorId a = quantized(make.op(Op::reshape, {x, make.ints({2, 3})}, {2, 3}, {}, DType::i8), 0.25);
  const TensorId y = quantized(make.op(Op::relu, {a}, {2, 3}, {}, DType::i8), 0.25);
  const GraphPtr before = make.finish({y});
  Graph after = *before;
  after.nodes[1].inputs[0] = x;  // without the requantization
  after.nodes.erase(after.nodes.begin());
  const Status status = find_fault("a pass", *before, after);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(
      status.error().message,
      "It has tensor 0 (Tensor: 0) where tensor 2 (Tensor: 2) of another quantization was. While checking "
      "OH_NN_OPS_RELU (operation 1) after a pass.");
}

TEST(CheckRewrite, FindsReadersOfAnotherDType) {
  GraphMaker make;
  const TensorId x = make.input({2, 3}, DType::i32);
  const TensorId a = make.op(Op::cast, {x, make.ints({int32_t(DType::f32)})}, {2, 3});
  const TensorId y = make.op(Op::equal, {a, a}, {2, 3}, {}, DType::boolean);
  const GraphPtr before = make.finish({y});
  Graph after = *before;
  after.nodes[1].inputs = {x, x};
  after.nodes.erase(after.nodes.begin());
  const Status status = find_fault("a pass", *before, after);
  ASSERT_FALSE(status.ok());
  expect_part(status.error().message, "of INT32 where tensor 2");
}

// The layout expected by the passes after normalize().
TEST(CheckRewrite, DetectsUnnormalizedNodes) {
  GraphMaker make;
  const TensorId x = make.input({1, 3, 4, 6}, DType::f32, Format::nchw);
  const TensorId kernel = make.parameter<int64_t>(2, DType::i64, {2, 2});
  const TensorId y = make.op(Op::avg_pool, {x}, {1, 3, 3, 5}, {kernel}, DType::f32, Format::nchw);
  const GraphPtr graph = make.finish({y});
  EXPECT_TRUE(find_fault("normalize", *graph, *normalize(graph), {.layout = true}).ok());
  const Status status = find_fault("normalize", *graph, *graph, {.layout = true});
  ASSERT_FALSE(status.ok());
  expect_part(status.error().message, "is still NCHW. While checking OH_NN_OPS_AVG_POOL");
}

TEST(CheckRewrite, IsAskedByTheEnvironment) {
  const char* was = std::getenv("NNRT_TEST_CHECK_GRAPHS");
  const std::string retained = was == nullptr ? "" : was;
  const Model model;
  Graph after = model.graph;
  after.nodes.pop_back();
  ASSERT_EQ(setenv("NNRT_TEST_CHECK_GRAPHS", "off", 1), 0);
  EXPECT_TRUE(check_rewrite("a pass", model.graph, after).ok());
  ASSERT_EQ(setenv("NNRT_TEST_CHECK_GRAPHS", "on", 1), 0);
  EXPECT_FALSE(check_rewrite("a pass", model.graph, after).ok());
  ASSERT_EQ(setenv("NNRT_TEST_CHECK_GRAPHS", "abort", 1), 0);
  EXPECT_DEATH(static_cast<void>(check_rewrite("a pass", model.graph, after)),
               "No operation writes output tensor 4. While checking the graph after a pass.");
  ASSERT_EQ(was == nullptr ? unsetenv("NNRT_TEST_CHECK_GRAPHS")
                           : setenv("NNRT_TEST_CHECK_GRAPHS", retained.c_str(), 1),
            0);
}

TEST(CheckRewrite, PassesOfRandomGraphsAreRight) {
  const FuseRules all{[](const Graph&, const Node&) { return true; }};
  for (uint32_t seed = 1; seed <= test::draws(200); ++seed) {
    const test::RandomGraph drawn = test::draw_graph(seed);
    const auto expect = [&](std::string_view pass, const Graph& before, const Graph& after,
                            const RewriteRights& rights = {}) {
      const Status status = find_fault(pass, before, after, rights);
      EXPECT_TRUE(status.ok()) << status.error().message << "\n" << drawn.description;
    };
    const GraphPtr lowered = normalize(drawn.graph);
    expect("normalize", *drawn.graph, *lowered, {.layout = true});
    const Graph simple = simplify(*lowered);
    expect("simplify", *lowered, simple);
    const Graph fused = fuse(simple, all);
    expect("fuse", simple, fused);
    expect("drop_weights", *lowered, *drop_weights(*lowered), {.data = true});
  }
}

}  // namespace
}  // namespace nnrt
