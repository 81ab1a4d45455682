#include "tests/tool/run_tool.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <regex>

using namespace tool_tests;

TEST(ToolBench, JsonHasTheFiguresOfEachDevice) {
  const auto results = json_of(run_nnrt("bench " + golden("net_lenet.jsonl") +
                                        " --devices cpu,CPU_NNRt --runs 20 --executors 2 --json"))["results"];
  ASSERT_EQ(results.size(), 2u);
  for (const auto& result : results) {
    EXPECT_EQ(result["device"], "CPU_NNRt");
    EXPECT_EQ(result["runs"], 40);
    EXPECT_GT(result["build_ms"], 0.0);
    EXPECT_GT(result["first_run_ms"], 0.0);
    EXPECT_GT(result["runs_per_second"], 0.0);
    EXPECT_GE(result["latency_ms"]["p99"], result["latency_ms"]["p50"]);
    EXPECT_GT(result["peak_memory_bytes"], 1 << 20);
  }
}

TEST(ToolBench, PrintsOneColumnPerDevice) {
  const Outcome outcome = run_nnrt("bench " + golden("net_lenet.jsonl") + " --devices cpu,cpu --runs 5");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(std::regex_search(outcome.out, std::regex("\n +CPU_NNRt +CPU_NNRt\n"))) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "\nlatency p99 "));
}

TEST(ToolBench, RunsForAsLongAsItIsTold) {
  const auto result = json_of(run_nnrt("bench " + golden("net_lenet.jsonl") +
                                       " --devices cpu --duration 0.2 --threads 1 --json"))["results"][0];
  const double seconds = result["runs"].get<double>() / result["runs_per_second"].get<double>();
  EXPECT_GE(seconds, 0.2);
  EXPECT_LT(seconds, 10);  // leaves room for one more run on a busy machine
}

TEST(ToolBench, ReportsChildFailure) {
  const Outcome outcome = run_nnrt("bench " + golden("net_lenet.jsonl") + " --devices cpu,moon --runs 5");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(has(outcome.err, "Device (moon) is not one of: CPU_NNRt (cpu). While measuring on moon."));
  EXPECT_TRUE(has(outcome.out, "CPU_NNRt")) << "The other device was measured.";
}
