#include "tools/plugins/onnxruntime/run/device_facts.h"

#include <gtest/gtest.h>

namespace nnrt::ep {
namespace {

TEST(DeviceFacts, AreTheMembersAsText) {
  const Facts facts =
      facts_of(R"({"id": "12", "name": "A \"B\u00e9\"", "threads": 2, "float16": false, "vendor": "V"})");
  EXPECT_EQ(
      facts,
      (Facts{
          {"id", "12"}, {"name", "A \"B\u00e9\""}, {"threads", "2"}, {"float16", "false"}, {"vendor", "V"}}));
  EXPECT_TRUE(facts_of("{}").empty());
  EXPECT_TRUE(facts_of("{\"broken").empty());
  EXPECT_TRUE(facts_of("[1]").empty());
  EXPECT_TRUE(facts_of("{\"broken\": {\"a\": [1, {}]}, ").empty());
}

TEST(DeviceFacts, AreThoseOfTheDevice) {
  const auto cpu = plugins::find_device("cpu").value();
  const Facts facts = facts_of(cpu);
  EXPECT_EQ(facts.at("name"), cpu.name);
  EXPECT_FALSE(facts.at("vendor").empty());
}

}  // namespace
}  // namespace nnrt::ep
