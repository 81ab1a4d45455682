// `nnrt run` prints the case it uses; `nnrt info` describes offline models.
#include "tests/tool/run_tool.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

using namespace tool_tests;

TEST(ToolRunCase, ReportsProgress) {
  const Outcome outcome = run_nnrt("run " + golden("add.jsonl"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::string cases = std::to_string(std::ranges::count(read(golden("add.jsonl")), '\n'));
  EXPECT_TRUE(outcome.out.starts_with("case: add/f32_same_4d (1 of " + cases + ")\ndevice: ")) << outcome.out;
  const auto json = nlohmann::json::parse(run_nnrt("run --json " + golden("add.jsonl")).out);
  EXPECT_EQ(json["case"], "add/f32_same_4d");
  EXPECT_EQ(std::to_string(json["cases"].get<size_t>()), cases);
}

TEST(ToolRunCase, NotesSingleRun) {
  const Outcome outcome = run_nnrt("run " + golden("net_dynamic_cnn.jsonl"));
  EXPECT_TRUE(outcome.out.starts_with("case: net/dynamic_cnn (1 of 1), the first of 4 runs\n"))
      << outcome.out;
}

TEST(ToolRunCase, SkipsComparisonForOtherInputs) {
  const std::string note = "The outputs in the file are not compared: other inputs were given.\n";
  const std::string model = "run " + golden("net_lenet.jsonl");
  EXPECT_TRUE(has(run_nnrt(model + " -i random").out, note));
  EXPECT_FALSE(has(run_nnrt(model).out, note));
  EXPECT_TRUE(nlohmann::json::accept(run_nnrt(model + " -i random --json").out));
}

TEST(ToolRunCase, RefusesParametersOfAnotherType) {
  const Folder folder;
  std::string text = read(golden("net_identity.jsonl"));
  const std::string name = R"("oh_nn_matmul_transpose_a","dtype":")";
  text.replace(text.find(name) + name.size(), 4, "INT8");
  write(folder.file("x.jsonl"), text);
  EXPECT_TRUE(fails(run_nnrt("run " + folder.file("x.jsonl")), 1,
                    "Dtype of OH_NN_MATMUL_TRANSPOSE_A (INT8) is not one of BOOL. "
                    "While reading OH_NN_OPS_MATMUL (operator 4)."));
}

TEST(ToolInfo, CountsNoAttributesOfACase) {
  const Folder folder;
  const std::string model = NNRT_TEST_MODELS "/onnx/digits.onnx", made = folder.file("digits.jsonl");
  ASSERT_EQ(run_nnrt("convert " + model + " -o " + made).code, 0);
  EXPECT_EQ(json_of(run_nnrt("info --json " + made))["parameters"],
            json_of(run_nnrt("info --json " + model))["parameters"]);
}

TEST(ToolInfo, DescribesOfflineModels) {
  const Folder folder;
  const std::string offline = folder.file("model.nnrt");
  ASSERT_EQ(run_nnrt("compile " + golden("net_lenet.jsonl") + " -o " + offline).code, 0);
  const Outcome text = run_nnrt("info " + offline);
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_TRUE(text.out.starts_with("offline model for CPU_NNRt\ninput ")) << text.out;
  EXPECT_TRUE(has(text.out, ": FLOAT32 [1, 28, 28, 1]\noutput "));
  const auto json = nlohmann::json::parse(run_nnrt("info --json " + offline).out);
  EXPECT_EQ(json["device"], "CPU_NNRt");
  EXPECT_EQ(json["float16"], false);
  EXPECT_EQ(json["inputs"][0]["shape"], nlohmann::json({1, 28, 28, 1}));
  const Outcome gone = run_nnrt("info " + offline, "NNRT_DEVICES=none");
  EXPECT_EQ(gone.code, 0) << gone.err;
  EXPECT_TRUE(gone.out.starts_with("offline model for CPU_NNRt\nThis device is not available here.\ninput "))
      << gone.out;
  EXPECT_TRUE(has(gone.out, ": FLOAT32 [1, 28, 28, 1]\noutput "));
  const auto described = nlohmann::json::parse(run_nnrt("info --json " + offline, "NNRT_DEVICES=none").out);
  EXPECT_EQ(described["inputs"], json["inputs"]);
  EXPECT_EQ(described["outputs"], json["outputs"]);
}
