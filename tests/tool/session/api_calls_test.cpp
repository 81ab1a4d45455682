// A failing call prints one sentence; a failing driver does not affect other devices.
#include "tests/tool/run_tool.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

using namespace tool_tests;

namespace {

ptrdiff_t lines(const std::string& text) { return std::ranges::count(text, '\n'); }

const std::string kLenet = golden("net_lenet.jsonl");
const std::string kBad = "NNRT_PLUGINS=" NNRT_BAD_PLUGIN;

// The reason is in that line, regardless of the log.
void expect_one_line(const std::string& arguments, const std::string& reason,
                     const std::string& environment) {
  const Outcome outcome = run_nnrt(arguments, environment);
  EXPECT_NE(outcome.code, 0) << outcome.out;
  EXPECT_EQ(lines(outcome.err), 1) << outcome.err;
  EXPECT_TRUE(has(outcome.err, reason));
}

void expect_one_line(const std::string& arguments, const std::string& reason) {
  expect_one_line(arguments, reason, "NNRT_LOG=off");
  expect_one_line(arguments, reason, "");
}

}  // namespace

TEST(ToolApiErrors, OfBuildSayWhy) {
  const Folder folder;
  const std::string named = folder.file("cut.nnrt");
  ASSERT_EQ(run_nnrt("compile " + kLenet + " -o " + named).code, 0);
  write(named, read(named).substr(0, 1000));
  expect_one_line("run " + named, "returns OH_NN_INVALID_FILE. It has 1000 bytes, not ");
}

TEST(ToolApiErrors, OfAnEmptyOfflineModelSayWhy) {
  const Folder folder;
  write(folder.file("empty.nnrt"), "");
  expect_one_line("run " + folder.file("empty.nnrt"), "empty.nnrt");
}

// MATMUL lacks an input.
TEST(ToolApiErrors, ExplainInvalidModels) {
  const Folder folder;
  std::string text = read(golden("net_identity.jsonl"));
  text.replace(text.find("[9,1]"), 5, "[9]");
  write(folder.file("x.jsonl"), text);
  expect_one_line("run " + folder.file("x.jsonl"), " returns 2. ");
}

TEST(ToolApiErrors, AppearInTheLogOnRequest) {
  const Folder folder;
  write(folder.file("bad.nnrt"), "?");
  const Outcome outcome = run_nnrt("run " + folder.file("bad.nnrt"), "NNRT_LOG=warning");
  EXPECT_TRUE(outcome.err.starts_with("NNRt E: OH_NN")) << outcome.err;
  EXPECT_EQ(lines(outcome.err), 2) << outcome.err;
}

TEST(ToolBadDriver, LeavesTheOtherDevices) {
  for (const std::string command : {"run ", "bench --runs 2 ", "profile --runs 1 "}) {
    for (const std::string device : {"-d cpu ", ""}) {
      const Outcome outcome = run_nnrt(command + device + kLenet, kBad);
      EXPECT_EQ(outcome.code, 0) << outcome.err;
      EXPECT_EQ(outcome.err, "");
    }
  }
}

TEST(ToolBadDriver, IsListedWithItsFault) {
  const Outcome words = run_nnrt("devices", kBad);
  EXPECT_EQ(words.code, 0) << words.err;
  EXPECT_TRUE(words.out.starts_with("CPU_NNRt\n")) << words.out;
  const auto devices = json_of(run_nnrt("devices --json", kBad));
  size_t faults = 0;
  for (const auto& device : devices) {
    const std::string name = device["name"];
    const bool is_bad = has(name, "in GetDeviceType") || has(name, "Has no type");
    EXPECT_EQ(device.contains("unavailable"), is_bad) << device;
    if (!is_bad) continue;
    ++faults;
    EXPECT_TRUE(has(device["unavailable"].get<std::string>(),
                    "OH_NNDevice_GetType returns OH_NN_UNAVAILABLE_DEVICE. "));
    EXPECT_EQ(device["plugin_file"], NNRT_BAD_PLUGIN);
  }
  EXPECT_EQ(faults, 3u);
}

TEST(ToolBadDriver, IsRefusedByNameWithItsPlugin) {
  const Outcome outcome = run_nnrt("run " + kLenet + " -d 'Fails in GetDeviceType'", kBad);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(has(outcome.err, "nnrt: Device Fails in GetDeviceType_Bad"));
  EXPECT_TRUE(has(outcome.err, ", of plugin " NNRT_BAD_PLUGIN ", is unavailable. "));
  EXPECT_TRUE(has(outcome.err, "GetDeviceType of the plugin returned 12345."));
  EXPECT_EQ(lines(outcome.err), 1) << outcome.err;
}

TEST(ToolDeviceName, RefusesEmptyNames) {
  for (const std::string& arguments : {"run -d '' " + kLenet, "bench -d '' --runs 1 " + kLenet}) {
    const Outcome outcome = run_nnrt(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments << outcome.out;
    EXPECT_TRUE(has(outcome.err, "nnrt: The name of the device is empty.")) << arguments << outcome.err;
    EXPECT_EQ(lines(outcome.err), 1) << outcome.err;
  }
}
