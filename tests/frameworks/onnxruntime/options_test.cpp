// Options, and devices by name.
#include "tools/plugins/onnxruntime/run/options.h"

#include "tools/plugins/onnxruntime/run/devices.h"

#include <gtest/gtest.h>

namespace nnrt::ep {
namespace {

TEST(Options, AreRead) {
  const auto options = read_options({{"device", "gpu"},
                                     {"fallback", "on"},
                                     {"fp16", "1"},
                                     {"cache", "/c"},
                                     {"priority", "low"},
                                     {"performance", "extreme"},
                                     {"placement", "-"}});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options.value().device, "gpu");
  EXPECT_TRUE(options.value().fallback);
  EXPECT_TRUE(options.value().float16);
  EXPECT_EQ(options.value().cache, "/c");
  EXPECT_EQ(options.value().priority, OH_NN_PRIORITY_LOW);
  EXPECT_EQ(options.value().performance, OH_NN_PERFORMANCE_EXTREME);
  EXPECT_EQ(options.value().placement, "-");
}

TEST(Options, HaveDefaults) {
  const auto options = read_options({});
  ASSERT_TRUE(options.ok());
  EXPECT_FALSE(options.value().fallback);
  EXPECT_FALSE(options.value().float16);
  EXPECT_EQ(options.value().priority, OH_NN_PRIORITY_NONE);
}

TEST(Options, RefuseOthers) {
  const auto unknown = read_options({{"colour", "red"}});
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().message,
            "There is no option colour. The options are device, fallback, fp16, cache, priority, "
            "performance, placement.");
  const auto wrong = read_options({{"priority", "urgent"}});
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().message,
            "The value (urgent) of option priority is not one of: none, low, medium, high.");
}

TEST(Devices, HaveTheFactsOfTheirDescription) {
  const auto facts =
      facts_of(R"({"id": "12", "name": "A \"B\"", "threads": 2, "float16": false, "vendor": "V"})");
  EXPECT_EQ(facts.at("id"), "12");
  EXPECT_EQ(facts.at("name"), "A \"B\"");
  EXPECT_EQ(facts.at("threads"), "2");
  EXPECT_EQ(facts.at("float16"), "false");
  EXPECT_EQ(facts.at("vendor"), "V");
  EXPECT_TRUE(facts_of("{}").empty());
  EXPECT_TRUE(facts_of("{\"broken").empty());
}

TEST(Devices, AreFoundByTypeAndName) {
  const std::vector<Device> devices{{1, "Alpha GPU", OH_NN_GPU, {}}, {2, "CPU_NNRt", OH_NN_CPU, {}}};
  EXPECT_EQ(find_device(devices, "cpu").value().id, 2U);
  EXPECT_EQ(find_device(devices, "gpu").value().id, 1U);
  EXPECT_EQ(find_device(devices, "CPU_NNRt").value().id, 2U);
  EXPECT_EQ(find_device(devices, "Alpha").value().id, 1U);
  const auto none = find_device(devices, "tpu");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().message, "There is no device tpu. The devices are Alpha GPU, CPU_NNRt.");
  EXPECT_EQ(find_device({devices[1]}, "auto").value().id, 2U);
}

}  // namespace
}  // namespace nnrt::ep
