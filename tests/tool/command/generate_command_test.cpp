#include "tests/tool/run_tool.h"

#include <gtest/gtest.h>

namespace tool_tests {
namespace {

const std::string kDecode = NNRT_TEST_DATA "/text/decode_int8.onnx";
const std::string kPrefill = NNRT_TEST_DATA "/text/prefill_int8.onnx";

TEST(Generate, WritesTheSameWithAndWithoutPrefill) {
  const Outcome steps = run_nnrt("generate " + kDecode + " -p 'In the beginning' -n 12");
  ASSERT_EQ(steps.code, 0) << steps.err;
  EXPECT_EQ(steps.out.substr(0, 16), "In the beginning");
  EXPECT_EQ(steps.out.size(), 16u + 12 + 1);
  EXPECT_NE(steps.err.find("11 steps: "), std::string::npos) << steps.err;
  const Outcome at_once =
      run_nnrt("generate " + kDecode + " --prefill " + kPrefill + " -p 'In the beginning' -n 12");
  EXPECT_EQ(at_once.out, steps.out) << at_once.err;
}

TEST(Generate, DrawsByTheSeed) {
  const auto text = [](const std::string& seed) {
    return run_nnrt("generate " + kDecode + " -p And -n 24 --temperature 1 --top-k 40 --seed " + seed).out;
  };
  EXPECT_EQ(text("1"), text("1"));
  EXPECT_NE(text("1"), text("2"));
}

TEST(Generate, EndsWhereTheStateIsFull) {
  const Outcome outcome = run_nnrt("generate " + kDecode + " -p '" + std::string(510, 'a') + "' -n 100");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out.size(), 510u + 3 + 1);
}

TEST(Generate, RefusesWhatCannotBe) {
  EXPECT_NE(run_nnrt("generate " + kDecode + " -p ''").err.find("The prompt has no token."),
            std::string::npos);
  EXPECT_NE(run_nnrt("generate " + kDecode + " -p '" + std::string(513, 'a') + "'")
                .err.find("The prompt has 513 tokens, and the model room for 512."),
            std::string::npos);
  const Outcome foreign = run_nnrt("generate " + kDecode + " -p 'caf\xc3\xa9'");
  EXPECT_EQ(foreign.code, 2);
  EXPECT_NE(foreign.err.find("Token 195 of the prompt is outside [0, 128), the model's vocabulary."),
            std::string::npos)
      << foreign.err;
  EXPECT_NE(run_nnrt("generate " + golden("net_lenet.jsonl") + " -p a").err.find("The model is no decoder"),
            std::string::npos);
  EXPECT_EQ(run_nnrt("generate " + kDecode).code, 2);
}

TEST(Info, ShowsAModelWithoutBuildingIt) {
  const Outcome outcome = run_nnrt("info " + kDecode);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part : {"input cache: FLOAT32 [4, 2, 1, 2, 512, 32]", "output logits: FLOAT32 [1, 128]",
                           "parameters: 2", "MatMul"}) {
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << '\n' << outcome.out;
  }
  EXPECT_EQ(run_nnrt("info /nowhere.onnx").code, 1);
}

}  // namespace
}  // namespace tool_tests
