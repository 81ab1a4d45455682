#include "tests/tool/run_tool.h"
#include "tools/nnrt/doctor/child.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <csignal>
#include <cstdio>

using namespace tool_tests;

namespace {

TEST(ToolDoctor, TestsTenOperationsOnEachDevice) {
  const auto report = json_of(run_nnrt("doctor --json", "VK_DRIVER_FILES=/nowhere.json"));
  EXPECT_GT(report["memory_bytes"].get<uint64_t>(), 0u);
  EXPECT_EQ(report["variables"]["NNRT_DEVICES"], "cpu");
  ASSERT_EQ(report["devices"].size(), 1u);
  EXPECT_EQ(report["devices"][0]["name"], "CPU_NNRt");
  const auto& tests = report["devices"][0]["tests"];
  ASSERT_EQ(tests.size(), 10u);
  for (const auto& test : tests) {
    EXPECT_EQ(test["problem"], "") << test;
    EXPECT_GT(test["ms"].get<double>(), 0) << test;
  }
}

TEST(ToolDoctor, SaysWhyADriverOffersNoDevice) {
  const Folder folder;
  write(folder.file("library.json"), R"({"ICD": {"library_path": "./no.so", "api_version": "1.3.0"}})");
  write(folder.file("text.json"), "text");
  const auto problems = [&](const std::string& files) {
    const auto report = nlohmann::json::parse(run_nnrt("doctor --json", "VK_DRIVER_FILES=" + files).out);
    std::string text;
    for (const auto& driver : report["drivers"]) text += driver["problem"].get<std::string>() + "\n";
    return text;
  };
  EXPECT_TRUE(has(problems(folder.file("library.json")), "Its library cannot be loaded: "));
  EXPECT_EQ(problems(folder.file("text.json")), "It is not the manifest of a Vulkan driver.\n");
  EXPECT_TRUE(has(problems(folder.file("none.json")), ") does not exist.\n"));
}

// The plugin computes SOFTMAX wrongly; another cannot start.
TEST(ToolDoctor, TellsWhatDevicesComputeWrongly) {
  const Outcome wrong = run_nnrt("doctor", "VK_DRIVER_FILES=/nowhere.json NNRT_PLUGINS=" NNRT_ONES_PLUGIN);
  EXPECT_EQ(wrong.code, 1);
  EXPECT_TRUE(has(wrong.out, ", softmax: The results differ in 1 of 1 output"));
  EXPECT_TRUE(has(wrong.out, "nnrt convert MODEL"));
  EXPECT_EQ(wrong.err, "nnrt: Not all devices work.\n");
  const Outcome bad = run_nnrt("doctor", "VK_DRIVER_FILES=/nowhere.json NNRT_PLUGINS=" NNRT_BAD_PLUGIN);
  EXPECT_EQ(bad.code, 1);
  EXPECT_TRUE(has(bad.out, " is unavailable. "));
}

TEST(ToolDoctor, NoDeviceIsAProblem) {
  const Outcome outcome = run_nnrt("doctor", "VK_DRIVER_FILES=/nowhere.json NNRT_DEVICES=none");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(has(outcome.out, "There is no device."));
}

using nnrt::tool::in_child;
using nnrt::tool::Send;

TEST(InChild, TellsHowTheChildEnded) {
  const auto nothing = [](const Send&) {};
  EXPECT_EQ(in_child(nothing, 10).fault, "");
  EXPECT_EQ(in_child([](const Send&) { _exit(3); }, 10).fault, "ended the process with 3");
  EXPECT_EQ(in_child([](const Send&) { raise(SIGKILL); }, 10).fault, "crashed (Killed)");
  EXPECT_EQ(in_child([](const Send&) { pause(); }, 1).fault, "took more than 1 s");
}

TEST(InChild, KeepsWhatWasSentBeforeACrash) {
  const auto end = in_child(
      [](const Send& send) {
        send({{"step", 1}});
        std::fputs("a warning without an end", stderr);
        send({{"step", 2}});
        raise(SIGKILL);
      },
      10);
  ASSERT_EQ(end.sent.size(), 2U);
  EXPECT_EQ(end.sent[1]["step"], 2);
  EXPECT_TRUE(has(end.log, "a warning without an end\n"));
  EXPECT_EQ(end.fault, "crashed (Killed)");
}

}  // namespace
