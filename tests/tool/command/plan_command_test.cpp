#include "tests/tool/run_tool.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace tool_tests;

namespace {

const std::string kModel = golden("net_lenet.jsonl");
const std::string kNamed = NNRT_TEST_DATA "/models/named.onnx";

// The JSON data in the page.
nlohmann::json data_of(const std::string& page) {
  const std::string start = "<script id=\"plan\" type=\"application/json\">";
  const size_t begin = page.find(start) + start.size();
  return nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

}  // namespace

TEST(ToolPlan, NamesTheShapeOfAnOpenInput) {
  EXPECT_TRUE(prints(run_nnrt("plan " NNRT_TEST_MODELS "/onnx/digits.onnx --device cpu"),
                     "`--shape image=1,1,8,8` plans a run of that shape."));
}

TEST(ToolPlan, TableNamesOperatorAndDeviceOfEachOperation) {
  const Outcome outcome = run_nnrt("plan " + kModel);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out.find("#  operator"), 0u) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "\n0  CONV2D           CPU_NNRt  [1, 28, 28, 6]\n"));
  EXPECT_TRUE(has(outcome.out, "\nCPU_NNRt: 9 of 9 operations\n"));
}

TEST(ToolPlan, KernelsAreAColumnOfTheirOwn) {
  const Outcome outcome = run_nnrt("plan --kernels " + kModel);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out.find("#  operator         device    implementation"), 0u) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "\n0  CONV2D           CPU_NNRt"));
}

TEST(ToolPlan, FusedOperationsAreNamedAsSuch) {
  EXPECT_TRUE(prints(run_nnrt("plan --kernels " + std::string(NNRT_GOLDEN_CASES "/net_mobilenet_v2.jsonl")),
                     "ADD                      CPU_NNRt  fused"));
}

// The layout of the convolution is the transposed one.
TEST(ToolPlan, RemovedOperationsAreNamedAsSuch) {
  const std::string model = NNRT_TEST_MODELS "/onnx/transpose_conv.onnx";
  EXPECT_TRUE(prints(run_nnrt("plan --kernels " + model), "\n0    TRANSPOSE  CPU_NNRt  removed\n"));
  const auto operations = json_of(run_nnrt("plan --json " + model))["operations"];
  EXPECT_TRUE(operations[0]["is_removed"] == true && operations[0]["is_fused"] == false) << operations;
  EXPECT_EQ(operations[1]["is_removed"], false);
}

TEST(ToolPlan, ExplainsSkippedPasses) {
  const std::string model = NNRT_TEST_MODELS "/onnx/digits.onnx";
  EXPECT_FALSE(has(run_nnrt("plan --kernels " + model).out, "passes that did not run"));
  EXPECT_TRUE(prints(run_nnrt("plan --kernels " + model, "NNRT_CPU_KERNELS=-fuse"),
                     "\npasses that did not run:\n"
                     "partition  device    pass  why not\n"
                     "        0  CPU_NNRt  fuse  It is forbidden by name.\n"));
}

TEST(ToolPlan, PlacementVariablePrintsImplementationsToo) {
  const Outcome outcome = run_nnrt("run " + kModel, "NNRT_PLACEMENT=-");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const std::string first_line = outcome.out.substr(0, outcome.out.find('\n'));
  EXPECT_EQ(first_line.find("node  operator "), 0u) << outcome.out;
  EXPECT_TRUE(has(first_line, " reason  implementation "));
  EXPECT_TRUE(has(outcome.out, "0     OH_NN_OPS_CONV2D "));
  EXPECT_TRUE(has(outcome.out, "winograd4: "));
}

// The MATMUL is fused with the SOFTMAX before it.
TEST(ToolPlan, OperationsStandBelowTheirLayers) {
  const Outcome outcome = run_nnrt("plan " + kNamed);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "\n   Conv /features/0/conv + Relu\n0    CONV2D "));
  const size_t layer = outcome.out.find("\n   Softmax /head/softmax + Mul\n5    SOFTMAX ");
  ASSERT_NE(layer, std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("\n6    MUL ", layer), std::string::npos) << outcome.out;
}

TEST(ToolPlan, ShowsTimesIfAskedTo) {
  for (const std::string option : {"", " --kernels"}) {
    const Outcome outcome = run_nnrt("plan " + kNamed + " --profile" + option);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(has(outcome.out, " time  ")) << outcome.out;
    EXPECT_TRUE(has(outcome.out, " us  ")) << outcome.out;
    EXPECT_FALSE(has(run_nnrt("plan " + kNamed + option).out, " us  "));
  }
}

TEST(ToolPlan, PageNamesTheLayerOfEachOperation) {
  const Folder folder;
  ASSERT_EQ(run_nnrt("plan " + kNamed + " --html " + folder.file("plan.html")).code, 0);
  const auto data = data_of(read(folder.file("plan.html")));
  EXPECT_EQ(data["nodes"][1]["layer"], "Conv /features/0/conv + Relu");
  EXPECT_EQ(data["nodes"][1]["label"], "CONV2D");
}

TEST(ToolPlan, PageIsSelfContained) {
  const Folder folder;
  ASSERT_EQ(run_nnrt("plan " + kModel + " --html " + folder.file("plan.html")).code, 0);
  const std::string page = read(folder.file("plan.html"));
  EXPECT_EQ(page.find("<!doctype html>"), 0u);
  for (const char* resource : {"<link", "<img", "src=", "@import", "url(", "fetch("}) {
    EXPECT_FALSE(has(page, resource)) << resource;
  }
}

TEST(ToolPlan, PageHoldsNodesEdgesTensorsAndMemory) {
  const Folder folder;
  ASSERT_EQ(run_nnrt("plan " + kModel + " --profile --html " + folder.file("plan.html")).code, 0);
  const auto data = data_of(read(folder.file("plan.html")));
  const auto& first = data["nodes"][1];
  EXPECT_EQ(data["nodes"][0]["kind"], "input");
  EXPECT_EQ(first["label"], "CONV2D");
  EXPECT_EQ(first["sub"].get<std::string>().find("FLOAT32 [1, "), 0u);
  EXPECT_GT(first["ms"], 0.0);
  EXPECT_FALSE(first["attributes"].empty());
  EXPECT_EQ(data["nodes"].back()["kind"], "output");
  EXPECT_EQ(data["edges"].size(), data["nodes"].size() - 1);  // a chain
  ASSERT_EQ(data["arenas"].size(), 1u);
  EXPECT_GT(data["arenas"][0]["blocks"].size(), 0u);
}

TEST(ToolPlan, DotNamesNodesAndEdges) {
  const Folder folder;
  ASSERT_EQ(run_nnrt("plan " + kModel + " --dot " + folder.file("plan.dot")).code, 0);
  const std::string dot = read(folder.file("plan.dot"));
  EXPECT_EQ(dot.find("digraph \"net_lenet.jsonl\" {\n"), 0u);
  EXPECT_TRUE(has(dot, "n0 [label=\"CONV2D"));
  EXPECT_TRUE(has(dot, "n0 -> n1;"));
}

TEST(ToolPlan, ReportsUnwritablePage) {
  EXPECT_TRUE(fails(run_nnrt("plan " + kModel + " --html /nowhere/plan.html"), 1,
                    "File (/nowhere/plan.html) cannot be written: No such file or directory."));
}
