#include "backends/vulkan/device/device_info.h"

#include <gtest/gtest.h>
#include <vulkan/vulkan.h>

#include <algorithm>

namespace nnrt::vulkan {
namespace {

std::variant<bool, uint64_t, std::string> property(const Snapshot& snapshot, std::string_view name) {
  const std::vector<DeviceProperty> properties = device_info_of(snapshot, DevicePlan{});
  const auto found = std::ranges::find(properties, name, &DeviceProperty::name);
  return found == properties.end() ? DeviceProperty{"", std::string("missing")}.value : found->value;
}

TEST(DeviceInfoTest, MemoryIsTheLargestHeap) {
  Snapshot snapshot;
  snapshot.heap_bytes = {7, uint64_t{3} << 32, 11};
  EXPECT_EQ(std::get<uint64_t>(property(snapshot, "memory_bytes")), uint64_t{3} << 32);
}

TEST(DeviceInfoTest, Float16WantsStorageToo) {
  Snapshot snapshot;
  snapshot.shader_float16 = true;
  EXPECT_FALSE(std::get<bool>(property(snapshot, "float16")));
  snapshot.storage_16bit = true;
  EXPECT_TRUE(std::get<bool>(property(snapshot, "float16")));
}

TEST(DeviceInfoTest, DotProductsNeedVulkan13OrExtension) {
  Snapshot snapshot;
  snapshot.api_version = VK_API_VERSION_1_2;
  EXPECT_FALSE(std::get<bool>(property(snapshot, "khr_integer_dot_product")));
  snapshot.extensions = {"VK_KHR_shader_integer_dot_product"};
  EXPECT_TRUE(std::get<bool>(property(snapshot, "khr_integer_dot_product")));
  snapshot.extensions.clear();
  snapshot.api_version = VK_API_VERSION_1_3;
  EXPECT_TRUE(std::get<bool>(property(snapshot, "khr_integer_dot_product")));
}

TEST(DeviceInfoTest, DriverIsNamedWithItsVersion) {
  Snapshot snapshot;
  snapshot.driver_name = std::string("llvmpipe");
  snapshot.driver_info = std::string("Mesa 22.3.6");
  EXPECT_EQ(std::get<std::string>(property(snapshot, "driver")), "llvmpipe Mesa 22.3.6");
}

}  // namespace
}  // namespace nnrt::vulkan
