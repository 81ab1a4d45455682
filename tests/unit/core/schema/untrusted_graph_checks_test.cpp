// A valid graph with one property broken at a time.
#include "core/schema/untrusted_graph_checks.h"

#include "core/passes/normalize.h"
#include "tests/support/graph_maker.h"

#include <gtest/gtest.h>

#include <functional>

namespace nnrt {
namespace {

// y = softmax(x + c), z = conv2d(i, w, b).
Graph valid_graph() {
  test::GraphMaker maker;
  const TensorId x = maker.input({2, 3}), i = maker.input({1, 5, 5, 2});
  const TensorId c = maker.floats({3}, {1, 2, 3});
  const TensorId w = maker.floats({1, 1, 1, 2}, {1, 2}), b = maker.floats({1}, {0});
  const TensorId sum = maker.op(Op::add, {x, c}, {2, 3}), y = maker.op(Op::softmax, {sum}, {2, 3});
  return *maker.finish({y, maker.op(Op::conv2d, {i, w, b}, {1, 5, 5, 1})});
}
constexpr size_t kX = 0, kConstant = 2, kWeight = 3, kSum = 5, kY = 6;
constexpr size_t kAdd = 0, kSoftmax = 1, kConv = 2;

struct Break {
  const char* name;
  std::function<void(Graph&)> apply;
};

const std::vector<Break>& breaks() {
  const auto with = [](Attr attr, AttrValue value) {
    return [=](Graph& g) { g.nodes[kConv].attrs.set(attr, value); };
  };
  static const std::vector<Break> all = {
      {"NoNodes", [](Graph& g) { g.nodes.clear(); }},
      {"NoInputs", [](Graph& g) { g.inputs.clear(); }},
      {"NoOutputs", [](Graph& g) { g.outputs.clear(); }},
      {"TooManyOutputs", [](Graph& g) { g.outputs.assign(201, kY); }},
      {"InputBeyondTheTensors", [](Graph& g) { g.inputs[0] = 99; }},
      {"OutputBeyondTheTensors", [](Graph& g) { g.outputs[0] = 99; }},
      {"OperandBeyondTheTensors", [](Graph& g) { g.nodes[kAdd].inputs[1] = 99; }},
      {"ResultBeyondTheTensors", [](Graph& g) { g.nodes[kAdd].outputs[0] = 99; }},
      {"ConstantInput", [](Graph& g) { g.inputs[0] = kConstant; }},
      {"OutputThatIsAnInput", [](Graph& g) { g.outputs[0] = kX; }},
      {"OutputThatIsConstant", [](Graph& g) { g.outputs[0] = kConstant; }},
      {"ParameterAsInput", [](Graph& g) { g.tensors[kX].role = 1; }},
      {"UnknownRole", [](Graph& g) { g.tensors[kX].role = 163; }},
      {"ReadBeforeWritten", [](Graph& g) { std::swap(g.nodes[kAdd], g.nodes[kSoftmax]); }},
      {"WrittenTwice", [](Graph& g) { g.nodes[kSoftmax].outputs[0] = kSum; }},
      {"WritesItsInput", [](Graph& g) { g.nodes[kSoftmax].inputs[0] = kY; }},
      {"WritesAConstant", [](Graph& g) { g.nodes[kAdd].outputs[0] = kWeight; }},
      {"TooFewOperands", [](Graph& g) { g.nodes[kAdd].inputs.pop_back(); }},
      {"TooManyOperands", [](Graph& g) { g.nodes[kAdd].inputs.assign(3, kX); }},
      {"TooManyResults", [](Graph& g) { g.nodes[kAdd].outputs.push_back(kY); }},
      {"DataTooShort", [](Graph& g) { g.tensors[kConstant].data = g.tensors[kConstant].data.part(0, 8); }},
      {"DataOfUnknownType", [](Graph& g) { g.tensors[kConstant].dtype = DType::unknown; }},
      {"DataOfUnknownShape", [](Graph& g) { g.tensors[kConstant].shape = {-1}; }},
      {"DimensionZero",
       [](Graph& g) {
         g.tensors[kX].shape = {2, 0};
       }},
      {"DimensionBelowMinusOne",
       [](Graph& g) {
         g.tensors[kX].shape = {2, -3};
       }},
      {"DimensionBeyondInt32", [](Graph& g) { g.tensors[kX].shape = {int64_t{1} << 40}; }},
      {"TooManyBytes",
       [](Graph& g) {
         g.tensors[kX].shape = {1 << 16, 1 << 16, 1 << 16};
       }},
      {"TooManyDimensions", [](Graph& g) { g.tensors[kX].shape.assign(201, 1); }},
      {"ScalesWithoutZeroPoints",
       [](Graph& g) {
         g.tensors[kX].quant.scales = {1, 2};
       }},
      {"OtherShapeThanInferred",
       [](Graph& g) {
         g.tensors[kSum].shape = {2, 4};
       }},
      {"OtherDTypeThanInferred", [](Graph& g) { g.tensors[kSum].dtype = DType::f16; }},
      {"AttributeOfAnotherOperator", with(Attr::top_k, {DType::i64, {1}, {}})},
      {"AttributeOfAnotherDType", with(Attr::group, {DType::f32, {}, {1}})},
      {"AttributeWithoutElements", with(Attr::group, {DType::i64, {}, {}})},
      {"AttributeWithTooManyElements", with(Attr::group, {DType::i64, {1, 1}, {}})},
      {"AttributeOutsideItsList", with(Attr::activation, {DType::i8, {9}, {}})},
      {"AttributeOutsideItsDType", with(Attr::activation, {DType::i8, {256}, {}})},
      {"AttributeWithoutSense", with(Attr::stride, {DType::i64, {0, 0}, {}})},
      {"NoAttributes", [](Graph& g) { g.nodes[kConv].attrs = {}; }},
  };
  return all;
}

class BrokenGraph : public testing::TestWithParam<Break> {};

TEST_P(BrokenGraph, IsRefused) {
  Graph graph = valid_graph();
  GetParam().apply(graph);
  const Status status = check_untrusted_graph(graph);
  ASSERT_FALSE(status.ok());
  EXPECT_FALSE(status.error().message.empty());
}

INSTANTIATE_TEST_SUITE_P(UntrustedGraph, BrokenGraph, testing::ValuesIn(breaks()),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(UntrustedGraph, AcceptsBuiltGraphs) {
  Graph graph = valid_graph();
  const std::vector<Shape> shapes = std::move(graph.shapes);
  ASSERT_TRUE(check_untrusted_graph(graph).ok());
  EXPECT_EQ(graph.shapes, shapes);
}

TEST(UntrustedGraph, LeavesTheLayoutToIsNormalized) {
  test::GraphMaker maker;
  const TensorId x = maker.input({1, 2, 5, 5}, DType::f32, Format::nchw);
  const TensorId w = maker.floats({1, 1, 1, 2}, {1, 2}), b = maker.floats({1}, {0});
  const GraphPtr graph =
      maker.finish({maker.op(Op::conv2d, {x, w, b}, {1, 1, 5, 5}, {}, DType::f32, Format::nchw)});
  EXPECT_FALSE(is_normalized(*graph));
  EXPECT_TRUE(is_normalized(*normalize(graph)));
}

}  // namespace
}  // namespace nnrt
