#include "tests/tool/tool.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace tool_tests;

TEST(ToolDevices, NamesEachDeviceWithItsType) {
  const Outcome outcome = run_nnrt("devices");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out.find("CPU_NNRt\n  id "), 0u) << outcome.out;
  EXPECT_NE(outcome.out.find("\n  memory "), std::string::npos);
}

TEST(ToolDevices, JsonIsAListOfObjects) {
  const auto devices = nlohmann::json::parse(run_nnrt("devices --json").out);
  ASSERT_EQ(devices.size(), 1u);
  EXPECT_EQ(devices[0]["name"], "CPU_NNRt");
  EXPECT_EQ(devices[0]["type"], "cpu");
  EXPECT_GT(devices[0]["memory_bytes"].get<uint64_t>(), 0u);
}

TEST(ToolDevices, NoDeviceIsNoError) {
  const Outcome outcome = run_nnrt("devices", "NNRT_DEVICES=none");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "There is no device.\n");
}
