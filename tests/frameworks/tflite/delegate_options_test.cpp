#include "tools/plugins/tflite/delegate_options.h"

#include "tools/plugins/base/chosen_device.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace nnrt::test {
namespace {

using tflite_plugin::read_options;

std::string refusal(const char* name, const char* value) {
  const auto options = read_options(&name, &value, 1);
  return options.ok() ? "" : options.error().message;
}

TEST(TfliteOptions, HaveDefaults) {
  const auto options = read_options(nullptr, nullptr, 0).value();
  EXPECT_EQ(options.common.device, "auto");
  EXPECT_FALSE(options.common.float16);
  EXPECT_TRUE(options.zero_copy);
}

TEST(TfliteOptions, FollowTheSettingOfFallback) {
  plugins::PluginOptions options;
  const char* const before = std::getenv("NNRT_FALLBACK");
  const std::string kept = before == nullptr ? "" : before;
  setenv("NNRT_FALLBACK", "off", 1);
  EXPECT_FALSE(plugins::has_fallback(options));
  options.fallback = "on";
  EXPECT_TRUE(plugins::has_fallback(options));
  unsetenv("NNRT_FALLBACK");
  options.fallback.clear();
  EXPECT_TRUE(plugins::has_fallback(options));
  if (before != nullptr) setenv("NNRT_FALLBACK", kept.c_str(), 1);
}

TEST(TfliteOptions, AreReadFromText) {
  const char* names[] = {"device",      "fp16",    "fallback",  "priority",
                         "performance", "threads", "min_nodes", "zero_copy"};
  const char* values[] = {"gpu", "on", "0", "high", "extreme", "4", "3", "no"};
  const auto options = read_options(names, values, std::size(names)).value();
  EXPECT_EQ(options.common.device, "gpu");
  EXPECT_TRUE(options.common.float16);
  EXPECT_EQ(options.common.fallback, "off");
  EXPECT_EQ(options.common.priority, OH_NN_PRIORITY_HIGH);
  EXPECT_EQ(options.common.performance, OH_NN_PERFORMANCE_EXTREME);
  EXPECT_EQ(options.common.threads, 4u);
  EXPECT_EQ(options.min_nodes, 3u);
  EXPECT_FALSE(options.zero_copy);
}

TEST(TfliteOptions, AreRefusedWithTheAllowedOnes) {
  EXPECT_EQ(refusal("fp16", "maybe"), "Option fp16 is maybe, but must be 1 or 0.");
  EXPECT_EQ(refusal("threads", "0"), "Option threads is 0, but must be a number from 1 to 256.");
  EXPECT_EQ(refusal("min_nodes", "x"), "Option min_nodes is x, but must be a number from 1 to 1048576.");
  EXPECT_EQ(refusal("priority", "urgent"),
            "Option priority is urgent, but must be one of none, low, medium, high.");
  EXPECT_EQ(refusal("devise", "gpu").substr(0, 43), "Option devise is not one of: device, fallba");
  EXPECT_EQ(refusal("device", ""), "Option device is empty.");
  EXPECT_EQ(refusal(nullptr, "gpu"), "An option is null.");
}

TEST(PluginDevice, IsFoundByTypeAndName) {
  const auto cpu = plugins::find_device("cpu").value();
  EXPECT_EQ(cpu.type, OH_NN_CPU);
  EXPECT_EQ(plugins::find_device(cpu.name).value().id, cpu.id);
  EXPECT_EQ(plugins::find_device(std::to_string(cpu.id)).value().name, cpu.name);
  EXPECT_FALSE(plugins::find_device("abacus").ok());
}

}  // namespace
}  // namespace nnrt::test
