#include "backends/vulkan/facts.h"

#include <gtest/gtest.h>
#include <vulkan/vulkan.h>

#include <algorithm>

namespace nnrt::vulkan {
namespace {

std::variant<bool, uint64_t, std::string> fact(const Snapshot& snapshot, std::string_view name) {
  const std::vector<Fact> facts = facts_of(snapshot, DevicePlan{});
  const auto found = std::ranges::find(facts, name, &Fact::name);
  return found == facts.end() ? Fact{"", std::string("missing")}.value : found->value;
}

TEST(Facts, MemoryIsTheLargestHeap) {
  Snapshot snapshot;
  snapshot.heap_bytes = {7, uint64_t{3} << 32, 11};
  EXPECT_EQ(std::get<uint64_t>(fact(snapshot, "memory_bytes")), uint64_t{3} << 32);
}

TEST(Facts, Float16WantsStorageToo) {
  Snapshot snapshot;
  snapshot.shader_float16 = true;
  EXPECT_FALSE(std::get<bool>(fact(snapshot, "float16")));
  snapshot.storage_16bit = true;
  EXPECT_TRUE(std::get<bool>(fact(snapshot, "float16")));
}

TEST(Facts, DotProductsComeWithVulkan13OrTheExtension) {
  Snapshot snapshot;
  snapshot.api_version = VK_API_VERSION_1_2;
  EXPECT_FALSE(std::get<bool>(fact(snapshot, "int8_dot")));
  snapshot.extensions = {"VK_KHR_shader_integer_dot_product"};
  EXPECT_TRUE(std::get<bool>(fact(snapshot, "int8_dot")));
  snapshot.extensions.clear();
  snapshot.api_version = VK_API_VERSION_1_3;
  EXPECT_TRUE(std::get<bool>(fact(snapshot, "int8_dot")));
}

TEST(Facts, DriverIsNamedWithItsVersion) {
  Snapshot snapshot;
  snapshot.driver_name = std::string("llvmpipe");
  snapshot.driver_info = std::string("Mesa 22.3.6");
  EXPECT_EQ(std::get<std::string>(fact(snapshot, "driver")), "llvmpipe Mesa 22.3.6");
}

}  // namespace
}  // namespace nnrt::vulkan
