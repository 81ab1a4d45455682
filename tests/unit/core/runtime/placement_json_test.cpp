#include "backends/cpu/engine/cpu_device.h"
#include "core/runtime/compile.h"
#include "core/runtime/execution.h"
#include "tests/support/graph_maker.h"
#include "tests/support/partial_device.h"
#include "tests/support/reporting_device.h"
#include "tests/support/tensor_views.h"
#include "tests/support/trace_file.h"

namespace nnrt {
namespace {

using nlohmann::json;

// softmax(abs(relu(x + y))), with only the sum on the device "Partial".
class PlacementJson : public testing::Test {
 protected:
  PlacementJson() {
    test::GraphMaker make;
    const TensorId x = make.input({2, 3}), y = make.input({3});
    const TensorId sum = make.op(Op::add, {x, y}, {2, 3}, {make.parameter<int8_t>(1, DType::i8, {1})});
    graph_ = make.finish({make.op(Op::softmax, {make.op(Op::abs, {sum}, {2, 3})}, {2, 3})});
    model_ = compile(graph_, adds_, cpu_.get(), {}).value();
  }

  std::shared_ptr<Device> cpu_ = cpu::make_device();
  test::PartialDevice adds_{cpu_, [](const Node& node) { return node.op == Op::add; }};
  GraphPtr graph_;
  std::shared_ptr<const CompiledModel> model_;
};

TEST_F(PlacementJson, ListsDeviceAndReasonPerOperation) {
  const json placement = json::parse(model_->placement_json());
  EXPECT_EQ(placement.at("device"), "Partial");
  const json& nodes = placement.at("nodes");
  ASSERT_EQ(nodes.size(), 3u);
  EXPECT_EQ(nodes[0].at("operator"), "OH_NN_OPS_ADD");
  EXPECT_EQ(nodes[0].at("attributes").at("OH_NN_ADD_ACTIVATIONTYPE"), "1");
  EXPECT_EQ(nodes[0].at("inputs")[1].at("shape"), json({3}));
  EXPECT_EQ(nodes[0].at("reason"), "");
  EXPECT_EQ(nodes[2].at("device"), cpu_->info().name);
  EXPECT_EQ(nodes[2].at("reason"), "The test refuses this operation.");
  EXPECT_EQ(nodes[2].at("partitions"), json::array({1}));
}

TEST_F(PlacementJson, ListsTransfers) {
  const json partitions = json::parse(model_->placement_json()).at("partitions");
  ASSERT_EQ(partitions.size(), 2u);
  EXPECT_EQ(partitions[0].at("operations"), json::array({0}));
  EXPECT_EQ(partitions[1].at("operations"), json::array({1, 2}));
  ASSERT_EQ(partitions[1].at("inputs").size(), 1u);
  EXPECT_EQ(partitions[1].at("inputs")[0].at("bytes"), 24);
  EXPECT_EQ(partitions[1].at("inputs")[0].at("id"), partitions[0].at("outputs")[0].at("id"));
}

TEST_F(PlacementJson, DescribesArena) {
  const json arena = json::parse(model_->placement_json()).at("partitions")[1].at("arena");
  ASSERT_EQ(arena.at("allocations").size(), 1u) << "between ABS and SOFTMAX";
  EXPECT_EQ(arena.at("allocations")[0].at("bytes"), 24);
  EXPECT_EQ(arena.at("allocations")[0].at("first"), 0);
  EXPECT_EQ(arena.at("allocations")[0].at("last"), 1);
  EXPECT_GE(arena.at("bytes"), 24);
}

TEST_F(PlacementJson, DescribesKernels) {
  test::ReportingDevice reporting(cpu_);
  const auto model = compile(graph_, reporting, cpu_.get(), {}).value();
  const json placement = json::parse(model->placement_json());
  const json kernels = placement.at("nodes")[0].at("kernels");
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].at("name"), "direct");
  EXPECT_EQ(kernels[0].at("declined"),
            json::parse(R"([{"name":"vec4","why":"Three are too few."},{"name":"vec8","why":"Too."}])"));
  EXPECT_EQ(placement.at("partitions")[0].at("passes"),
            json::parse(R"([{"name":"fp16_pass","why_not":"Float16 is not permitted."},
                            {"name":"fuse","why_not":""}])"));
}

TEST_F(PlacementJson, UnknownDimensionsHaveNoBytes) {
  test::GraphMaker make;
  const GraphPtr graph = make.finish({make.op(Op::relu, {make.input({-1, 3})}, {-1, 3})});
  const json placement = json::parse(compile(graph, *cpu_, nullptr, {}).value()->placement_json());
  EXPECT_TRUE(placement.at("inputs")[0].at("bytes").is_null());
  EXPECT_EQ(placement.at("inputs")[0].at("shape"), json({-1, 3}));
}

TEST_F(PlacementJson, GoesWithATraceOfTheRun) {
  const test::TraceFile file;
  const TensorView x = test::view_of<float>({2, 3}, {1, -2, 3, -4, 5, -6}),
                   y = test::view_of<float>({3}, {1, 1, 1});
  std::vector<OutputSlot> outputs{{test::empty_view(24)}};
  ASSERT_TRUE(Execution(model_).run(std::vector{x, y}, outputs, {}).ok());
  const auto partitions = file.events("partition"), nodes = file.events("node");
  ASSERT_EQ(partitions.size(), 2u);
  EXPECT_EQ(partitions[1].at("args").at("device"), cpu_->info().name);
  EXPECT_EQ(partitions[1].at("args").at("nodes"), 2);
  ASSERT_EQ(nodes.size(), 3u);
  EXPECT_EQ(nodes[1].at("name"), "ABS [2,3]");
  EXPECT_EQ(nodes[1].at("args").at("operation"), 1);
  EXPECT_EQ(nodes[1].at("args").at("flops"), 6);
  EXPECT_EQ(nodes[1].at("args").at("bytes"), 48);
  EXPECT_EQ(nodes[1].at("args").at("inputs"), json::parse("[[2,3]]"));
}

TEST_F(PlacementJson, TraceNamesFusedOperations) {
  test::GraphMaker make;
  const TensorId x = make.input({2, 3});
  const GraphPtr graph = make.finish({make.op(Op::exp, {make.op(Op::abs, {x}, {2, 3})}, {2, 3})});
  const auto model = compile(graph, *cpu_, nullptr, {}).value();
  const json placement = json::parse(model->placement_json());
  EXPECT_EQ(placement.at("nodes")[0].at("fused"), json({1}));
  EXPECT_EQ(placement.at("nodes")[1].at("fused"), json::array());
  const test::TraceFile file;
  std::vector<OutputSlot> outputs{{test::empty_view(24)}};
  const std::vector<TensorView> inputs{test::view_of<float>({2, 3}, {1, -2, 3, -4, 5, -6})};
  ASSERT_TRUE(Execution(model).run(inputs, outputs, {}).ok());
  const auto nodes = file.events("node");
  ASSERT_EQ(nodes.size(), 1u);
  EXPECT_EQ(nodes[0].at("name"), "ABS+EXP [2,3]");
  EXPECT_EQ(nodes[0].at("args").at("operation"), 0);
  EXPECT_EQ(nodes[0].at("args").at("fused"), json({1}));
  EXPECT_EQ(nodes[0].at("args").at("post_ops"), json({"OH_NN_OPS_EXP"}));
  EXPECT_EQ(nodes[0].at("args").at("flops"), 12);
}

TEST_F(PlacementJson, GoesWithATraceOfTheBuild) {
  const test::TraceFile file;
  ASSERT_TRUE(compile(graph_, adds_, cpu_.get(), {}).ok());
  std::vector<std::string> partitions;
  for (const json& event : file.events("compile")) partitions.push_back(event.at("name"));
  EXPECT_EQ(partitions, (std::vector<std::string>{"normalize", "assign", "partition", "prepare", "prepare"}));
  const auto refusals = file.events("refusal");
  ASSERT_EQ(refusals.size(), 2u);
  EXPECT_EQ(refusals[0].at("name"), "ABS");
  EXPECT_EQ(refusals[0].at("args").at("reason"), "The test refuses this operation.");
}

}  // namespace
}  // namespace nnrt
