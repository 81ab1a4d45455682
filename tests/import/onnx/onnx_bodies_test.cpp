#include "tests/import/onnx/onnx_runs.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace nnrt::test {
namespace {

using onnx_file::GraphProto;

GraphProto& add_body(OnnxModel& model, const std::string& name) {
  GraphProto& graph = model.graph();
  onnx_file::AttributeProto& attribute = *graph.mutable_node(graph.node_size() - 1)->add_attribute();
  attribute.set_name(name);
  return *attribute.mutable_g();
}

void add_node(GraphProto& graph, const std::string& type, const Names& inputs, const std::string& output) {
  onnx_file::NodeProto& node = *graph.add_node();
  node.set_op_type(type);
  for (const std::string& name : inputs) node.add_input(name);
  node.add_output(output);
}

// Both branches read x from the enclosing graph.
OnnxModel choice(OnnxModel model) {
  model.node("If", {"condition"}).output("y");
  GraphProto& positive = add_body(model, "then_branch");
  add_node(positive, "Abs", {"x"}, "a");
  positive.add_output()->set_name("a");
  GraphProto& negative = add_body(model, "else_branch");
  add_node(negative, "Neg", {"x"}, "a");
  negative.add_output()->set_name("a");
  return model;
}

TEST(OnnxBodies, TakeTheBranchOfAConstantCondition) {
  OnnxModel model = OnnxModel().input("x", {2, 3});
  model.constant("condition", OnnxModel::kBool, {}, std::string(1, '\0'));
  const import::Network network = choice(model).network();
  EXPECT_EQ(operations(network), std::vector{Op::neg});
  EXPECT_EQ(network.operations[0].origin, "If (node 0): Neg (node 0)");
}

TEST(OnnxBodies, FollowTheArithmeticOfShapes) {
  const import::Network network = choice(OnnxModel()
                                             .input("x", {2, 3})
                                             .node("Size", {"x"}, {"size"})
                                             .integers("six", {6})
                                             .node("Equal", {"size", "six"}, {"condition"}))
                                      .network();
  EXPECT_EQ(operations(network), std::vector{Op::abs});
}

TEST(OnnxBodies, ComputeBothBranchesOfDynamicConditions) {
  const import::Network network =
      choice(OnnxModel().input("x", {2, 3}).input("condition", {1}, OnnxModel::kBool)).network();
  const std::vector<Op> made = operations(network);
  EXPECT_EQ(made.back(), Op::where);
  EXPECT_EQ(std::ranges::count(made, Op::abs), 1);
  EXPECT_EQ(std::ranges::count(made, Op::neg), 1);
}

const std::vector<char> kTrue{1}, kFalse{0};

// The branches read x; `more` is a constant for the second one.
OnnxModel branches(const Dimensions& shape, const std::string& first, const std::string& second,
                   const Dimensions& more) {
  OnnxModel model = OnnxModel().input("x", shape).input("condition", {1}, OnnxModel::kBool);
  model.floats("more", more, std::vector<float>(static_cast<size_t>(more[0]), 1));
  model.node("If", {"condition"}).output("y");
  GraphProto& positive = add_body(model, "then_branch");
  add_node(positive, first, {"x"}, "a");
  positive.add_output()->set_name("a");
  GraphProto& negative = add_body(model, "else_branch");
  add_node(negative, second, second == "Concat" ? Names{"x", "x", "more"} : Names{"x", "more"}, "a");
  if (second == "Concat") {
    onnx_file::AttributeProto& axis = *negative.mutable_node(0)->add_attribute();
    axis.set_name("axis");
    axis.set_i(0);
  }
  negative.add_output()->set_name("a");
  return model;
}

TEST(OnnxBodies, ChooseBetweenBranchesOfDifferentShapes) {
  for (const Dimensions& shape : {Dimensions{2}, Dimensions{-1}}) {
    const OnnxModel model = branches(shape, "Neg", "Concat", {1});
    const Value x = value_of({2}, std::vector<float>{3, 5});
    const List<Value> taken = results_of(model, {x, value_of({1}, kTrue)}, {{2}});
    EXPECT_EQ(taken[0].shape, (Shape{2}));
    EXPECT_EQ(elements_of<float>(taken[0]), (std::vector<float>{-3, -5}));
    const List<Value> other = results_of(model, {x, value_of({1}, kFalse)}, {{5}});
    EXPECT_EQ(elements_of<float>(other[0]), (std::vector<float>{3, 5, 3, 5, 1}));
  }
}

// The shape is static or dynamic.
TEST(OnnxBodies, IgnoreUntakenBranches) {
  for (const Dimensions& shape : {Dimensions{2}, Dimensions{-1}}) {
    const OnnxModel model = branches(shape, "Neg", "Add", {3});
    const Value x = value_of({2}, std::vector<float>{3, 5});
    const List<Value> taken = results_of(model, {x, value_of({1}, kTrue)}, {{2}});
    EXPECT_EQ(elements_of<float>(taken[0]), (std::vector<float>{-3, -5}));
    EXPECT_FALSE(run_on_cpu(model, {x, value_of({1}, kFalse)}, {{2}}).ok());
  }
}

// Doubles x in each iteration and collects the previous values.
OnnxModel loop(OnnxModel model) {
  model.node("Loop", {"count", "", "x"}, {"y", "all"}).output("y").output("all");
  GraphProto& body = add_body(model, "body");
  for (const char* const name : {"i", "going", "before"}) body.add_input()->set_name(name);
  add_node(body, "Add", {"before", "before"}, "after");
  for (const char* const name : {"going", "after", "before"}) body.add_output()->set_name(name);
  return model;
}

OnnxModel counted(int64_t count) {
  OnnxModel model = OnnxModel().input("x", {2});
  model.constant("count", OnnxModel::kInt64, {}, {reinterpret_cast<const char*>(&count), sizeof count});
  return model;
}

TEST(OnnxBodies, HandleZeroIterations) {
  OnnxModel model = loop(counted(0));
  auto& described = *model.graph().mutable_node(0)->mutable_attribute(0)->mutable_g()->mutable_output(2);
  auto& type = *described.mutable_type()->mutable_tensor_type();
  type.set_elem_type(OnnxModel::kFloat32);
  type.mutable_shape()->add_dim()->set_dim_value(2);
  const List<Value> results = results_of(model, {value_of({2}, std::vector<float>{1, -3})}, {{2}, {0, 2}});
  EXPECT_EQ(elements_of<float>(results[0]), (std::vector<float>{1, -3}));
  EXPECT_EQ(results[1].shape, (Shape{0, 2}));
}

TEST(OnnxBodies, UnrollALoop) {
  const List<Value> results = results_of(loop(counted(3)), {value_of<float>({2}, {1, -3})}, {{2}, {3, 2}});
  EXPECT_EQ(elements_of<float>(results[0]), (std::vector<float>{8, -24}));
  EXPECT_EQ(elements_of<float>(results[1]), (std::vector<float>{1, -3, 2, -6, 4, -12}));
}

TEST(OnnxBodies, RefuseALoopOfManyRounds) {
  EXPECT_EQ(message(loop(counted(int64_t{1} << 62)).read()),
            "More than 1024 iterations are not supported. While converting Loop (node 0).");
}

TEST(OnnxBodies, CountIterationsAtRunTime) {
  const import::Network network =
      loop(OnnxModel().input("x", {2}).input("count", {}, OnnxModel::kInt64)).network();
  auto session = Session::open(network, OH_NN_CPU).value();
  const auto run = [&](int64_t count) {
    return session.run(std::vector{value_of<float>({2}, {1, -3}), value_of<int64_t>({}, {count})},
                       std::vector<Shape>{{2}, {64, 2}});
  };
  auto results = run(3);
  ASSERT_TRUE(results.ok()) << results.error().message;
  EXPECT_EQ(elements_of<float>(results.value()[0]), (std::vector<float>{8, -24}));
  EXPECT_EQ(elements_of<float>(results.value()[1]), (std::vector<float>{1, -3, 2, -6, 4, -12}));
  results = run(0);
  ASSERT_TRUE(results.ok()) << results.error().message;
  EXPECT_EQ(elements_of<float>(results.value()[0]), (std::vector<float>{1, -3}));
  EXPECT_EQ(results.value()[1].shape, (Shape{0, 2}));
  results = run(64);
  ASSERT_TRUE(results.ok()) << results.error().message;
  EXPECT_EQ(elements_of<float>(results.value()[0])[0], 0x1p64f);
  EXPECT_FALSE(run(65).ok());
}

TEST(OnnxBodies, MapTheElementsOfASequence) {
  OnnxModel model = OnnxModel(17).input("x", {1, 2}).node("SequenceConstruct", {"x", "x"}, {"s"});
  GraphProto& body = add_body(model.node("SequenceMap", {"s", "x"}, {"sums"}), "body");
  body.add_input()->set_name("a");
  body.add_input()->set_name("b");
  add_node(body, "Add", {"a", "b"}, "c");
  body.add_output()->set_name("c");
  model.node("ConcatFromSequence", {"sums"}).with("axis", 0).output("y");
  const List<Value> made = results_of(model, {value_of<float>({1, 2}, {1, -3})}, {{2, 2}});
  EXPECT_EQ(elements_of<float>(made[0]), (std::vector<float>{2, -6, 2, -6}));
}

TEST(OnnxBodies, NameUnsupportedOperators) {
  OnnxModel model = OnnxModel().input("x", {2, 3});
  model.constant("condition", OnnxModel::kBool, {}, std::string(1, '\1'));
  model.node("If", {"condition"}).output("y");
  GraphProto& body = add_body(model, "then_branch");
  add_node(body, "Bernoulli", {"x"}, "a");
  body.add_output()->set_name("a");
  add_body(model, "else_branch");
  EXPECT_EQ(message(model.read()),
            "The model has operators that OH_NN cannot express: Bernoulli (node 0). While converting "
            "Bernoulli (node 0). "
            "While converting If (node 0).");
}

TEST(OnnxBodies, RejectMissingBodies) {
  OnnxModel model = OnnxModel().input("x", {2, 3}).input("condition", {1}, OnnxModel::kBool);
  model.node("If", {"condition"});
  EXPECT_EQ(message(model.read()), "The node has no subgraph (then_branch). While converting If (node 0).");
}

TEST(OnnxBodies, PreserveValuesReadByInnerGraphs) {
  OnnxModel model = OnnxModel()
                        .input("x", {2, 3})
                        .node("Add", {"x", "x"}, {"sum"})
                        .node("Relu", {"sum"}, {"z"})
                        .output("z");
  model.constant("condition", OnnxModel::kBool, {}, std::string(1, '\1'));
  model.node("If", {"condition"}).output("y");
  for (const char* const name : {"then_branch", "else_branch"}) {
    GraphProto& body = add_body(model, name);
    add_node(body, "Neg", {"sum"}, "a");
    body.add_output()->set_name("a");
  }
  const import::Network network = model.network();
  EXPECT_EQ(network.operations.size(), 3u);
}

}  // namespace
}  // namespace nnrt::test
