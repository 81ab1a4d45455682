#include "tests/tool/run_tool.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tool_tests {
namespace {

const std::string kDecode = NNRT_TEST_DATA "/text/decode_int8.onnx";
const std::string kPrefill = NNRT_TEST_DATA "/text/prefill_int8.onnx";
const std::string kByBoth = kDecode + " --prefill " + kPrefill;

TEST(Generate, WritesTheSameWithAndWithoutPrefill) {
  const Outcome steps = run_nnrt("generate " + kDecode + " -p 'In the beginning' -n 12");
  ASSERT_EQ(steps.code, 0) << steps.err;
  EXPECT_EQ(steps.out.substr(0, 16), "In the beginning");
  EXPECT_EQ(steps.out.size(), 16u + 12 + 1);
  EXPECT_TRUE(has(steps.err, "11 steps: "));
  const Outcome at_once = run_nnrt("generate " + kByBoth + " -p 'In the beginning' -n 12");
  EXPECT_EQ(at_once.out, steps.out) << at_once.err;
}

TEST(Generate, DrawsByTheSeed) {
  const auto text = [](const std::string& seed) {
    return run_nnrt("generate " + kDecode + " -p And -n 24 --temperature 1 --top-k 40 --seed " + seed).out;
  };
  EXPECT_EQ(text("1"), text("1"));
  EXPECT_NE(text("1"), text("2"));
}

TEST(Generate, StopsAtFullCache) {
  const Outcome outcome = run_nnrt("generate " + kByBoth + " -p '" + std::string(510, 'a') + "' -n 100");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out.size(), 510u + 3 + 1);
}

TEST(Generate, EndsBeforeAStop) {
  const std::string prompt = "In the beginning";
  const std::string text = run_nnrt("generate " + kDecode + " -p '" + prompt + "' -n 12").out;
  const std::string stop = text.substr(prompt.size() + 5, 3),
                    before = text.substr(0, text.find(stop, prompt.size()));
  const Outcome outcome =
      run_nnrt("generate " + kDecode + " -p '" + prompt + "' -n 12 --stop '" + stop + "'");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, before + "\n");
  const Outcome other = run_nnrt("generate " + kDecode + " -p '" + prompt + "' -n 12 --stop '#no#' --stop '" +
                                 stop + "' --json");
  const auto json = nlohmann::json::parse(other.out);
  EXPECT_EQ(json["text"], before.substr(prompt.size()));
  EXPECT_EQ(json["end"], "stop");
  EXPECT_LT(json["tokens"], 12);
}

TEST(Generate, JsonIsOneDocument) {
  const Outcome plain = run_nnrt("generate " + kDecode + " -p And -n 8");
  const Outcome outcome = run_nnrt("generate " + kDecode + " -p And -n 8 --json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["prompt"].get<std::string>() + json["text"].get<std::string>() + "\n", plain.out);
  EXPECT_EQ(json["device"], "CPU_NNRt");
  EXPECT_EQ(json["end"], "tokens");
  EXPECT_EQ(json["prompt_tokens"], 3);
  EXPECT_EQ(json["tokens"], 8);
  EXPECT_GT(json["tokens_per_second"], 0.0);
  const Outcome full = run_nnrt("generate " + kByBoth + " -p '" + std::string(511, 'a') + "' --json");
  EXPECT_EQ(nlohmann::json::parse(full.out)["end"], "full");
}

TEST(Generate, RejectsInvalidOptions) {
  EXPECT_TRUE(has(run_nnrt("generate " + kDecode + " -p a --stop ''").err, "Option --stop is empty."));
  EXPECT_TRUE(has(run_nnrt("generate " + kDecode + " -p ''").err, "The prompt has no token."));
  EXPECT_TRUE(has(run_nnrt("generate " + kDecode + " -p '" + std::string(513, 'a') + "'").err,
                  "The prompt has 513 tokens, but the model has room for 512."));
  EXPECT_TRUE(fails(run_nnrt("generate " + kDecode + " -p 'caf\xc3\xa9'"), 2,
                    "Token 195 of the prompt is outside [0, 128), the model's vocabulary."));
  EXPECT_TRUE(
      has(run_nnrt("generate " + golden("net_lenet.jsonl") + " -p a").err, "The model is not a decoder"));
  EXPECT_EQ(run_nnrt("generate " + kDecode).code, 2);
}

TEST(Info, ShowsAModelWithoutBuildingIt) {
  const Outcome outcome = run_nnrt("info " + kDecode);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part : {"input cache: FLOAT32 [4, 2, 1, 2, 512, 32]", "output logits: FLOAT32 [1, 128]",
                           "parameters: 2", "MatMul"}) {
    EXPECT_TRUE(has(outcome.out, part)) << part << '\n' << outcome.out;
  }
  EXPECT_EQ(run_nnrt("info /nowhere.onnx").code, 1);
}

}  // namespace
}  // namespace tool_tests
