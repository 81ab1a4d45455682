#include "backends/vulkan/runtime/vulkan_devices.h"

#include "core/device/device.h"

#include <gtest/gtest.h>

#include <set>

namespace nnrt::test {
namespace {

TEST(Devices, HaveDistinctNamesAndIds) {
  const auto devices = vulkan::find_devices();
  ASSERT_FALSE(devices.empty());
  std::set<std::string> names;
  std::set<size_t> ids;
  for (const auto& device : devices) {
    EXPECT_EQ(device->type().value(), DeviceType::gpu);
    EXPECT_EQ(device->status(), DeviceStatus::available);
    EXPECT_NE(device->info().id, 0u);
    EXPECT_FALSE(device->info().vendor.empty());
    names.insert(device->info().name);
    ids.insert(device->info().id);
  }
  EXPECT_EQ(names.size(), devices.size());
  EXPECT_EQ(ids.size(), devices.size());
}

TEST(Devices, HaveTheSameIdsEachTime) {
  const auto once = vulkan::find_devices(), again = vulkan::find_devices();
  ASSERT_EQ(once.size(), again.size());
  for (size_t i = 0; i < once.size(); ++i) EXPECT_EQ(once[i]->info().id, again[i]->info().id);
}

}  // namespace
}  // namespace nnrt::test
