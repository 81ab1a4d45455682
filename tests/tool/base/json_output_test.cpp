// `--json` prints one document with the members listed in docs/tool.md.
#include "tests/tool/run_tool.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace tool_tests;
using Json = nlohmann::json;

namespace {

const std::string kClassifier = golden("net_mobilenet_v2.jsonl");
const std::string kNamed = NNRT_TEST_DATA "/models/named.onnx";

// Parsing fails if standard output has anything else.
Json document_of(const Outcome& outcome) {
  Json json = Json::parse(outcome.out, nullptr, false);
  EXPECT_TRUE(json.is_object()) << outcome.out << outcome.err;
  return json;
}

bool is_id(const Json& json) {
  return json.is_string() && !json.empty() &&
         json.get<std::string>().find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

TEST(ToolJson, RunReportsTimesInputsOutputsAndClasses) {
  const Folder folder;
  write(folder.file("labels.txt"), "zero\none\n");
  const Outcome outcome = run_nnrt("run " + kClassifier + " --json --runs 3 --labels " +
                                   folder.file("labels.txt") + " --output " + folder.file("out"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json json = document_of(outcome);
  EXPECT_EQ(json["model"], kClassifier);
  EXPECT_EQ(json["device"], "CPU_NNRt");
  EXPECT_TRUE(is_id(json["device_id"])) << json["device_id"];
  EXPECT_GT(json["build_ms"], 0.0);
  EXPECT_EQ(json["runs_ms"].size(), 3u);
  EXPECT_EQ(json["runs_ms"][0], json["first_run_ms"]);
  EXPECT_EQ(json["inputs"][0]["name"], "image");
  EXPECT_EQ(json["inputs"][0]["shape"], Json({1, 64, 56, 3}));
  const Json& output = json["outputs"][0];
  EXPECT_EQ(output["dtype"], "FLOAT32");
  EXPECT_EQ(output["not_finite"], 0);
  ASSERT_EQ(output["classes"].size(), 5u);
  EXPECT_EQ(output["classes"][0]["class"], 1);
  EXPECT_EQ(output["classes"][0]["label"], "one");
  EXPECT_NEAR(output["classes"][0]["score"], 3.5448, 1e-4);
  EXPECT_FALSE(output["classes"][1].contains("label"));
  ASSERT_EQ(json["files"].size(), 1u);
  EXPECT_FALSE(read(json["files"][0]).empty());
  EXPECT_EQ(json["compared"][0]["with"], "the file");
  EXPECT_EQ(json["compared"][0]["differs"], false);
}

TEST(ToolJson, RunOfADetectorHasBoxes) {
  const Json json = document_of(run_nnrt("run " + golden("net_ssd.jsonl") + " --json"));
  EXPECT_EQ(json["outputs"].size(), 4u);
  ASSERT_GT(json["boxes"].size(), 0u);
  for (const char* member : {"score", "class", "top", "left", "bottom", "right"})
    EXPECT_TRUE(json["boxes"][0][member].is_number()) << member;
}

// The plugin always returns 1.
TEST(ToolJson, DifferingRunExitsWithOne) {
  const Outcome outcome = run_nnrt("run " + golden("net_identity.jsonl") +
                                       " --json --input a=zeros --input b=ones --device Ones --compare cpu",
                                   "NNRT_PLUGINS=" NNRT_ONES_PLUGIN);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(has(outcome.err, "nnrt: The results differ in 2 of 3 outputs"));
  const Json json = document_of(outcome);
  EXPECT_EQ(json["compared"][0]["with"], "CPU_NNRt");
  EXPECT_EQ(json["compared"][0]["differs"], true);
  EXPECT_EQ(json["compared"][0]["outputs"].size(), 3u);
}

TEST(ToolJson, PlanHasOperationsTensorsAndMemory) {
  const Folder folder;
  const Outcome outcome = run_nnrt("plan " + kNamed + " --json --profile --html " + folder.file("plan.html"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json json = document_of(outcome);
  EXPECT_EQ(json["model"], kNamed);
  EXPECT_EQ(json["device"], "CPU_NNRt");
  EXPECT_TRUE(is_id(json["device_id"])) << json["device_id"];
  const Json& first = json["operations"][0];
  EXPECT_EQ(first["operator"], "CONV2D");
  EXPECT_EQ(first["layer"], "Conv /features/0/conv + Relu");
  EXPECT_EQ(first["device"], "CPU_NNRt");
  EXPECT_GT(first["ms"], 0.0);
  EXPECT_FALSE(first["kernels"].empty());
  const Json& input = json["tensors"][json["inputs"][0].get<size_t>()];
  EXPECT_EQ(input["dtype"], "FLOAT32");
  EXPECT_EQ(input["shape"][0], -1);
  EXPECT_EQ(input["bytes"], nullptr) << "The batch is open.";
  EXPECT_EQ(input["constant"], false);
  EXPECT_EQ(json["files"], Json({folder.file("plan.html")}));
  EXPECT_EQ(json["borders"], Json::array());
  ASSERT_GT(json["passes"].size(), 2u);
  EXPECT_EQ(json["passes"][0],
            Json({{"device", ""}, {"partition", nullptr}, {"name", "gather_quantized"}, {"why_not", ""}}));
  EXPECT_EQ(json["passes"][2],
            Json({{"device", "CPU_NNRt"}, {"partition", 0}, {"name", "inferred_ranks"}, {"why_not", ""}}));
}

TEST(ToolJson, PlanOfKnownShapesHasMemory) {
  const Json json = document_of(run_nnrt("plan --json " + golden("net_lenet.jsonl")));
  const Json& input = json["tensors"][json["inputs"][0].get<size_t>()];
  EXPECT_EQ(input["shape"], Json({1, 28, 28, 1}));
  EXPECT_EQ(input["bytes"], 28 * 28 * 4);
  ASSERT_EQ(json["memory"].size(), 1u);
  EXPECT_GT(json["memory"][0]["blocks"].size(), 0u);
  EXPECT_FALSE(json["operations"][0].contains("ms"));
}

TEST(ToolJson, ProfileHasLayersWithTheirNodes) {
  const Outcome outcome = run_nnrt("profile " + kNamed + " --json --runs 3");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json json = document_of(outcome);
  EXPECT_TRUE(is_id(json["device_id"])) << json["device_id"];
  EXPECT_EQ(json["runs"], 3);
  EXPECT_GT(json["run_ms"], 0.0);
  const Json& first = json["operations"][0];
  EXPECT_EQ(first["name"], "Conv /features/0/conv + Relu");
  EXPECT_EQ(first["operator"], "Conv + Relu");
  EXPECT_GT(first["ms"], 0.0);
  EXPECT_FALSE(first.contains("operation"));
  EXPECT_EQ(first["nodes"][0]["operation"], 0);
  const Json cases = document_of(run_nnrt("profile " + golden("net_lenet.jsonl") + " --json --runs 1"));
  EXPECT_EQ(cases["operations"][0]["operation"], 0);
  EXPECT_GT(cases["operations"][0]["flops"], 0.0);
  EXPECT_FALSE(cases["operations"][0].contains("nodes"));
}
