#include "core/base/bytes_of.h"
#include "tests/tool/run_tool.h"
#include "tools/nnrt/session/profile.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <span>

using namespace tool_tests;

namespace {

// The number of a run is its time.
std::string run(int ts, const std::string& own = R"(,"own":true)") {
  return R"({"ph":"X","cat":"run","name":"run","ts":)" + std::to_string(ts) + R"(,"dur":100,"args":{"run":)" +
         std::to_string(ts) + own + "}}";
}

// Begins every 200 microseconds from 1 on.
std::string run_at(double ts) { return std::to_string(int(ts) / 200 * 200 + 1); }

// A node of operation 0 that computes 1 as well.
std::string fused_node(double ts, double dur, const std::string& op) {
  return R"({"ph":"X","cat":"gpu","name":"n","ts":)" + std::to_string(ts) + R"(,"dur":)" +
         std::to_string(dur) + R"(,"args":{"run":)" + run_at(ts) +
         R"(,"operation":0,"fused":[1],"operator":"OH_NN_OPS_)" + op +
         R"(","device":"D","dtype":"FLOAT32","outputs":[[2,3]],"flops":6,"bytes":8}})";
}

std::string node(double ts, double dur, int operation, int flops) {
  return R"({"ph":"X","cat":"node","name":"n","ts":)" + std::to_string(ts) + R"(,"dur":)" +
         std::to_string(dur) + R"(,"args":{"run":)" + run_at(ts) + R"(,"operation":)" +
         std::to_string(operation) +
         R"(,"operator":"OH_NN_OPS_ADD","device":"D","dtype":"FLOAT32","outputs":[[2,3]],"flops":)" +
         std::to_string(flops) + R"(,"bytes":8}})";
}

}  // namespace

TEST(ReadTrace, AveragesMeasuredRuns) {
  const std::string text = R"({"traceEvents":[)" + run(1) + "," + node(10, 50, 0, 6) + "," + run(201) + "," +
                           node(210, 20, 0, 6) + "," + node(230, 5, 1, 0) + "," + run(401) + "," +
                           node(410, 40, 0, 6) + "," + node(450, 5, 1, 0) + "]}";
  const auto profile = nnrt::tool::read_trace(nnrt::bytes_of(text), 1).value();
  EXPECT_EQ(profile.runs, 2u);
  EXPECT_DOUBLE_EQ(profile.run_ms, 0.1);
  ASSERT_EQ(profile.operations.size(), 2u);
  const nnrt::tool::OperationTime& first = profile.operations[0];
  EXPECT_DOUBLE_EQ(first.work.ms, 0.03);
  EXPECT_DOUBLE_EQ(first.work.flops, 6);
  ASSERT_EQ(first.nodes.size(), 1u);
  EXPECT_EQ(first.nodes[0].op, "ADD");
  EXPECT_EQ(first.nodes[0].shapes, "[2, 3]");
}

// A tenth of a count, added up ten times, is not the count.
TEST(ReadTrace, AveragesCountsExactly) {
  std::string text = R"({"traceEvents":[)";
  for (int i = 0; i < 10; ++i)
    text += (i == 0 ? "" : ",") + run(200 * i + 1) + "," + node(200 * i + 10, 50, 0, 6);
  const auto profile = nnrt::tool::read_trace(nnrt::bytes_of(text + "]}"), 0).value();
  EXPECT_EQ(profile.operations.at(0).work.flops, 6);
  EXPECT_EQ(profile.operations[0].nodes.at(0).work.flops, 6);
}

TEST(ReadTrace, IgnoresRunsOfOtherExecutors) {
  const std::string text = R"({"traceEvents":[)" + run(1) + "," + node(10, 50, 0, 6) + "," + run(201, "") +
                           "," + node(210, 20, 0, 6) + "," + node(230, 5, 1, 0) + "]}";
  const auto profile = nnrt::tool::read_trace(nnrt::bytes_of(text), 0).value();
  EXPECT_EQ(profile.runs, 1u);
  ASSERT_EQ(profile.operations.size(), 1u);
  EXPECT_DOUBLE_EQ(profile.operations[0].work.ms, 0.05);
}

TEST(ReadTrace, KeepsTheNodesOfAnOperationApart) {
  const std::string text = R"({"traceEvents":[)" + run(1) + "," + fused_node(10, 5, "TRANSPOSE") + "," +
                           fused_node(20, 40, "CONV2D") + "," + fused_node(60, 20, "CONV2D") + "]}";
  const auto profile = nnrt::tool::read_trace(nnrt::bytes_of(text), 0).value();
  ASSERT_EQ(profile.operations.size(), 1u);
  const nnrt::tool::OperationTime& time = profile.operations[0];
  EXPECT_EQ(time.operations, (std::vector<size_t>{0, 1}));
  ASSERT_EQ(time.nodes.size(), 2u);
  EXPECT_EQ(time.nodes[0].op, "TRANSPOSE");
  EXPECT_DOUBLE_EQ(time.nodes[1].work.ms, 0.06);
  EXPECT_EQ(time.main_node().op, "CONV2D");
}

TEST(ReadTrace, RejectsOtherFiles) {
  for (const std::string text : {"", "{", "{}", R"({"traceEvents":3})", R"({"traceEvents":[]})",
                                 R"({"traceEvents":[{"cat":"run","name":"run"}]})",
                                 R"({"traceEvents":[{"cat":"run","name":"run","args":{"own":true}}]})"}) {
    EXPECT_FALSE(nnrt::tool::read_trace(nnrt::bytes_of(text), 0).ok()) << text;
  }
}

TEST(ToolProfile, ListsOperatorsBySharesAndKeepsTheTrace) {
  const Folder folder;
  const Outcome outcome = run_nnrt("profile " + golden("net_mobilenet_v2.jsonl") + " --runs 3 --trace " +
                                   folder.file("trace.json"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "\noperator"));
  EXPECT_TRUE(has(outcome.out, "\nCONV2D "));
  EXPECT_TRUE(has(outcome.out, " %"));
  EXPECT_TRUE(has(outcome.out, "\nthe 15 longest of "));
  EXPECT_TRUE(nlohmann::json::parse(read(folder.file("trace.json"))).contains("traceEvents"));
}

TEST(ToolProfile, ListsLayersWithTheirNodes) {
  const Outcome outcome = run_nnrt("profile " NNRT_TEST_DATA "/models/named.onnx --runs 2");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "\nConv + Relu "));
  EXPECT_TRUE(has(outcome.out, "\n   Conv /features/0/conv + Relu "));
  EXPECT_TRUE(has(outcome.out, "  CONV2D"));
  EXPECT_TRUE(has(outcome.out, " layers:\n"));
}

TEST(ToolProfile, WritesASeparateTrace) {
  const Folder folder;
  const std::string all = folder.file("all.json");
  const auto profile = json_of(
      run_nnrt("profile " + golden("net_lenet.jsonl") + " --runs 3 --warmup 1 --json", "NNRT_TRACE=" + all));
  EXPECT_EQ(profile["runs"], 3);
  EXPECT_FALSE(profile["operations"].empty());
  size_t runs = 0;
  const auto trace = nlohmann::json::parse(read(all));
  for (const auto& event : trace.at("traceEvents")) runs += event.at("name") == "run";
  EXPECT_EQ(runs, 4u);
}
