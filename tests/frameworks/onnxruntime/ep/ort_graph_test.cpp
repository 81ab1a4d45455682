#include "tools/plugins/onnxruntime/ep/ort_graph.h"

#include "tests/frameworks/onnxruntime/ep/fake_graph.h"

#include <gtest/gtest.h>

namespace nnrt::ep {
namespace {

class ReadGraph : public testing::Test {
 protected:
  ReadGraph() {
    const OrtApi* const api = fake_ort().GetApi(ORT_API_VERSION);
    tables() = {api, api->GetEpApi(), api->GetModelEditorApi(), 25};
  }
  ~ReadGraph() override { EXPECT_EQ(live_objects(), before_); }

  const int before_ = live_objects();
};

TEST_F(ReadGraph, ReadsNodesAndValues) {
  FakeGraph maker;
  maker.input("x", {-1, 20}).constant("k", std::vector<float>(20, 2)).constant("small", {1, 2});
  maker.node("Clip", {"x", "", "k"}, {"a"}).node("Add", {"a", "small"}, {"y"}).output("y", {});
  maker.graph().opsets.emplace_back("com.microsoft", 1);
  const auto read = read_graph(&maker.graph()).value();
  const HostGraph& graph = read.graph;
  EXPECT_FALSE(read.is_body);
  EXPECT_EQ(graph.opsets, (std::map<std::string, int64_t>{{"", 17}, {"com.microsoft", 1}}));
  EXPECT_EQ(graph.inputs, std::vector<std::string>{"x"});
  EXPECT_EQ(graph.outputs, std::vector<std::string>{"y"});
  ASSERT_EQ(graph.nodes.size(), 2U);
  EXPECT_EQ(graph.nodes[0].proto.op_type(), "Clip");
  EXPECT_EQ(graph.nodes[0].proto.input(), (std::vector<std::string>{"x", "", "k"}));
  const auto& shape = graph.values.at("x").info.type().tensor_type().shape();
  ASSERT_EQ(shape.dim_size(), 2);
  EXPECT_FALSE(shape.dim(0).has_dim_value());
  EXPECT_EQ(shape.dim(1).dim_value(), 20);
  // Large constants stay where they are.
  ASSERT_EQ(graph.data.size(), 1U);
  EXPECT_EQ(static_cast<const void*>(graph.data[0].data()), maker.find("k")->value.data.data());
  EXPECT_EQ(graph.values.at("small").constant.raw_data().size(), 8U);
}

TEST_F(ReadGraph, ReadsAttributesOfEachType) {
  FakeGraph maker;
  maker.input("x", {4}).node("Many", {"x"}, {"y"});
  maker.attribute("i", ORT_OP_ATTR_INT, std::vector<int64_t>{-7})
      .attribute("f", ORT_OP_ATTR_FLOAT, std::vector{0.5F});
  maker.attribute("is", ORT_OP_ATTR_INTS, std::vector<int64_t>{1, 2})
      .attribute("none", ORT_OP_ATTR_INTS, std::string());
  maker.attribute("fs", ORT_OP_ATTR_FLOATS, std::vector{1.5F, 2.5F});
  maker.attribute("s", ORT_OP_ATTR_STRING, std::string("text\0", 5));
  maker.attribute("ss", ORT_OP_ATTR_STRINGS, std::string("a\0\0bc\0", 6))
      .attribute("t", ORT_OP_ATTR_TENSOR, std::string());
  maker.last().attributes.back().tensor = {{ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, {20}},
                                           std::vector<float>(20, 3)};
  const auto read = read_graph(&maker.graph()).value();
  const auto& attributes = read.graph.nodes[0].proto.attribute();
  ASSERT_EQ(attributes.size(), 8);
  EXPECT_EQ(attributes[0].i(), -7);
  EXPECT_EQ(attributes[1].f(), 0.5F);
  EXPECT_EQ(attributes[2].ints(), (std::vector<int64_t>{1, 2}));
  EXPECT_TRUE(attributes[3].ints().empty());
  EXPECT_EQ(attributes[4].floats(), (std::vector{1.5F, 2.5F}));
  EXPECT_EQ(attributes[5].s(), "text");
  EXPECT_EQ(attributes[6].strings(), (std::vector<std::string>{"a", "", "bc"}));
  EXPECT_EQ(attributes[7].t().raw_data().size(), 80U);
}

TEST_F(ReadGraph, ReadsBodies) {
  FakeGraph body, maker;
  maker.input("x", {4}).input("unused", {4});
  body.constant("k", std::vector<float>(20, 1)).output("b", {4});
  OrtValueInfo outer = *maker.find("x");
  outer.is_outer = true;
  body.graph().values.push_back(outer);
  body.node("Neg", {"x"}, {"b"});
  maker.node("If", {"x"}, {"y"});
  maker.last().bodies = {{"then_branch", &body.graph()}, {"else_branch", &body.graph()}};
  maker.last().outer = {maker.find("unused")};
  body.graph().parent = &maker.last();
  const auto read = read_graph(&maker.graph()).value();
  const HostNode& node = read.graph.nodes[0];
  EXPECT_EQ(node.outer_reads, std::vector<std::string>{"unused"});
  ASSERT_EQ(node.proto.attribute_size(), 2);
  EXPECT_EQ(node.proto.attribute(1).name(), "else_branch");
  EXPECT_EQ(node.proto.attribute(1).g().node(0).op_type(), "Neg");
  EXPECT_TRUE(read_graph(&body.graph()).value().is_body);
}

TEST_F(ReadGraph, FailsWithTheReasonOfTheCall) {
  FakeGraph maker;
  maker.input("x", {4})
      .constant("k", std::vector<float>(20, 2))
      .node("Add", {"x", "k"}, {"y"})
      .output("y", {4});
  maker.attribute("ss", ORT_OP_ATTR_STRINGS, std::string("a\0", 2))
      .attribute("t", ORT_OP_ATTR_TENSOR, std::string());
  int failed = 0;
  for (int call = 1;; ++call) {
    refuse_call(call);
    const auto read = read_graph(&maker.graph());
    if (!has_refused()) break;
    failed += !read.ok();
    if (!read.ok()) {
      EXPECT_EQ(read.error().message, "refused");
    }
    ASSERT_EQ(live_objects(), before_) << "call " << call;
  }
  refuse_call(0);
  EXPECT_GT(failed, 40);
}

}  // namespace
}  // namespace nnrt::ep
