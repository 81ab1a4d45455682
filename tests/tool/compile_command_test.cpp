#include "tests/tool/run_tool.h"

#include <gtest/gtest.h>

using namespace tool_tests;

namespace {

// From the first output on.
std::string answer(const std::string& out) { return out.substr(out.find("\n\n")); }

}  // namespace

TEST(ToolCompile, OfflineModelAnswersAsTheModelDoes) {
  const Folder folder;
  const std::string model = golden("net_mobilenet_v2.jsonl"), offline = folder.file("model.nnrt");
  const Outcome outcome = run_nnrt("compile " + model + " --output " + offline);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("compiled for CPU_NNRt in "), std::string::npos) << outcome.out;
  const Outcome whole = run_nnrt("run " + model + " --input random:3"),
                loaded = run_nnrt("run " + offline + " --input random:3");
  ASSERT_EQ(loaded.code, 0) << loaded.err;
  EXPECT_EQ(answer(loaded.out), answer(whole.out));
}

TEST(ToolCompile, DamagedOfflineModelsAreRefused) {
  const Folder folder;
  const std::string offline = folder.file("model.nnrt");
  ASSERT_EQ(run_nnrt("compile " + golden("net_lenet.jsonl") + " -o " + offline).code, 0);
  std::string bytes = read(offline);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x10);
  write(offline, bytes);
  const Outcome outcome = run_nnrt("run " + offline);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("nnrt: OH_NNCompilation_Build answers "), std::string::npos) << outcome.err;
}
