#include "tests/tool/run_tool.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <set>
#include <sstream>

using namespace tool_tests;

namespace {

TEST(ToolDevices, NamesEachDeviceWithItsType) {
  const Outcome outcome = run_nnrt("devices");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out.find("CPU_NNRt\n  id "), 0u) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "\n  memory "));
}

// The first column is as wide as its longest name, such as "plugin file".
TEST(ToolDevices, ValuesStandInOneColumn) {
  const std::string out = run_nnrt("devices", "NNRT_PLUGINS=" NNRT_ONES_PLUGIN).out;
  std::istringstream lines(out);
  std::set<size_t> columns;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("  ")) columns.insert(line.find_first_not_of(' ', line.find("  ", 2)));
  EXPECT_EQ(columns.size(), 1u) << out;
}

TEST(ToolDevices, JsonIsAListOfObjects) {
  const auto devices = nlohmann::json::parse(run_nnrt("devices --json").out);
  ASSERT_EQ(devices.size(), 1u);
  EXPECT_EQ(devices[0]["name"], "CPU_NNRt");
  EXPECT_EQ(devices[0]["type"], "cpu");
  EXPECT_TRUE(devices[0]["id"].is_string());
  EXPECT_GT(devices[0]["memory_bytes"].get<uint64_t>(), 0u);
}

TEST(ToolDevices, HaveTheNamesThatClientsSee) {
  const Outcome outcome = run_nnrt("devices --json", "NNRT_DEVICES=cpu,prefix:NPU_");
  EXPECT_EQ(nlohmann::json::parse(outcome.out)[0]["name"], "NPU_CPU_NNRt");
}

TEST(ToolDevices, NoDeviceIsNoError) {
  const Outcome outcome = run_nnrt("devices", "NNRT_DEVICES=none");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "No device is available.\n");
}

size_t count(const std::string& text, const std::string& part) {
  size_t times = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++times;
  return times;
}

TEST(ToolDevices, MisspelledVariablesAreWarnedOfOnce) {
  const Outcome outcome = run_nnrt(
      "devices", "NNRT_DEVICES=cpu,npu NNRT_LOG=verbose NNRT_THREADS=abc NNRT_THREDS=2 NNRT_TEST_FUS=off");
  EXPECT_EQ(outcome.code, 0);
  for (const char* const warning : {
           "NNRt W: NNRT_DEVICES (npu) is not one of cpu, gpu, vulkan, auto, none, prefix:NAME, "
           "graph_extensions.\n",
           "NNRt W: NNRT_LOG (verbose) is not one of off, error, warning, info, debug, no_call_errors.\n",
           "NNRt W: NNRT_THREADS (abc) is not a number from 1.\n",
           "NNRt W: Environment variable NNRT_THREDS is not one of NNRT_DEVICES, ",
           "NNRt W: Environment variable NNRT_TEST_FUS is not one of NNRT_TEST_COMPAT, NNRT_TEST_FUSE, ",
       }) {
    EXPECT_EQ(count(outcome.err, warning), 1u) << warning << outcome.err;
  }
  EXPECT_EQ(count(outcome.err, "\n"), 5u) << outcome.err;
}

TEST(ToolDevices, WarnsOfMisspelledKernels) {
  const Outcome outcome = run_nnrt("devices", "NNRT_CPU_KERNELS=+wingrad4,winograd4");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(count(outcome.err, "NNRt W: NNRT_CPU_KERNELS (+wingrad4) names none of amx_gemm, "), 1u)
      << outcome.err;
  EXPECT_EQ(count(outcome.err, "NNRt W: NNRT_CPU_KERNELS (winograd4) needs a + or a - before the name.\n"),
            1u)
      << outcome.err;
  EXPECT_EQ(count(outcome.err, "\n"), 2u) << outcome.err;
}

TEST(ToolDevices, KnownVariablesAreTakenInSilence) {
  EXPECT_EQ(run_nnrt("devices", "NNRT_LOG=warning NNRT_THREADS=2 NNRT_TEST_FUSE=off NNRT_TEST_KILLS=3").err,
            "");
}

}  // namespace
