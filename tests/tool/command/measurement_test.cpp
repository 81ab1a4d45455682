// A measuring process that dies.
#include "tests/tool/run_tool.h"

#include <gtest/gtest.h>

using namespace tool_tests;

namespace {

struct Death {
  const char* device;
  const char* sentence;
};

class ToolMeasurement : public testing::TestWithParam<Death> {};

}  // namespace

TEST_P(ToolMeasurement, NamesTheDeviceOfACrash) {
  const auto [device, sentence] = GetParam();
  const Outcome outcome =
      run_nnrt("bench --runs 2 --devices '" + std::string(device) + ",cpu' " + golden("net_lenet.jsonl"),
               "NNRT_PLUGINS=" NNRT_FATAL_PLUGIN);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err,
            "nnrt: The measurement on " + std::string(device) + "_Fatal_v2_1 " + sentence + "\n");
  EXPECT_TRUE(has(outcome.out, "CPU_NNRt")) << "The other device was measured.";
}

INSTANTIATE_TEST_SUITE_P(
    All, ToolMeasurement,
    testing::Values(Death{"Aborts in GetSupportedOperation", "was ended by signal 6 (Aborted)."},
                    Death{"Kills itself in GetSupportedOperation", "was ended by signal 9 (Killed)."},
                    Death{"Exits in GetSupportedOperation", "exited with 0 and without an answer."}),
    [](const auto& made) { return std::string(made.param.device).substr(0, 5); });
