#include "tests/tool/run_tool.h"

#include <gtest/gtest.h>

#include <cstdlib>

using namespace tool_tests;

namespace {

// Whether the case passes the conformance runner on the CPU.
bool runner_accepts(const std::string& path) {
  return std::system((CONFORMANCE_RUNNER " --device cpu " + path + " >/dev/null").c_str()) == 0;
}

class ToolConvert : public testing::TestWithParam<std::string> {};

}  // namespace

TEST_P(ToolConvert, MakesACaseThatTheRunnerPasses) {
  const Folder folder;
  const Outcome outcome =
      run_nnrt("convert " + golden(GetParam()) + " --output " + folder.file("case.jsonl"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("outputs expected from CPU_NNRt"), std::string::npos) << outcome.out;
  EXPECT_TRUE(runner_accepts(folder.file("case.jsonl")));
}

INSTANTIATE_TEST_SUITE_P(Networks, ToolConvert,
                         testing::Values("net_lenet.jsonl", "net_int8_mobilenet.jsonl", "net_ssd.jsonl",
                                         "net_dynamic_cnn.jsonl", "net_lstm.jsonl"),
                         [](const auto& made) { return made.param.substr(0, made.param.find('.')); });

TEST(ToolConvertInputs, AreThoseOfTheCommandLine) {
  const Folder folder;
  const std::string path = folder.file("case.jsonl");
  ASSERT_EQ(run_nnrt("convert " + golden("net_lenet.jsonl") + " --input zeros --name mine -o " + path).code,
            0);
  EXPECT_EQ(read(path).find("{\"name\":\"mine\",\"oracle\":\"CPU_NNRt\","), 0u);
  EXPECT_NE(run_nnrt("run " + path).out.find("input image: FLOAT32"), std::string::npos);
}
