// Starting on the CPU opens no driver of other devices.
#include "tests/tool/run_tool.h"

#include <gtest/gtest.h>

using namespace tool_tests;

namespace {

// The Vulkan loader reports its search for manifests; a plugin that cannot be loaded gives a warning.
const char* const kWitnesses =
    "NNRT_DEVICES=cpu,vulkan,auto VK_LOADER_DEBUG=all NNRT_LOG=info NNRT_PLUGINS=/nowhere/plugin.so";

bool touches_drivers(const Outcome& outcome) {
  return outcome.err.find("manifest") != std::string::npos ||
         outcome.err.find("/nowhere/plugin.so") != std::string::npos;
}

}  // namespace

TEST(ToolStart, OnTheCpuOpensNoDriver) {
  const Folder folder;
  const std::string model = golden("net_identity.jsonl"), compiled = folder.file("model.nnrt");
  for (const std::string& command :
       {"run " + model + " --device cpu", "compile " + model + " --device cpu -o " + compiled,
        "run " + compiled + " --input a=ones --input b=ones"}) {
    const Outcome outcome = run_nnrt(command, kWitnesses);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_FALSE(touches_drivers(outcome)) << command << '\n' << outcome.err;
  }
}

TEST(ToolStart, OnAnotherDeviceListsThemAll) {
  EXPECT_TRUE(touches_drivers(run_nnrt("devices", kWitnesses)));
  const std::string run = "run " + golden("net_identity.jsonl") + " --device ";
  for (const char* device : {"gpu", "auto", "12345"})
    EXPECT_TRUE(touches_drivers(run_nnrt(run + device, kWitnesses))) << device;
}
