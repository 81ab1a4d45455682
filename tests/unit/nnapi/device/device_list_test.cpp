#include "nnapi/device/device_list.h"

#include "tests/support/stub_device.h"
#include "tests/unit/nnapi/nnapi_test_handles.h"

#include <set>

namespace nnrt::nnapi {
namespace {

using test::StubDevice;

std::shared_ptr<Device> gpu(const std::string& name, std::string kind) {
  const auto made = std::make_shared<StubDevice>(name, DeviceType::gpu);
  made->properties_of_test = {
      {"kind", std::move(kind)}, {"vulkan", std::string("1.3")}, {"driver", std::string("Driver 7")}};
  return made;
}
std::shared_ptr<Device> cpu() { return std::make_shared<StubDevice>("CPU_NNRt", DeviceType::cpu); }
std::shared_ptr<Device> chooser_of(std::vector<Device*> members) {
  const auto made = std::make_shared<StubDevice>("NNRt auto", DeviceType::others);
  made->members_of_test = std::move(members);
  return made;
}

TEST(DeviceList, HasGpusFirstAndTheCpuLast) {
  const auto processor = cpu(), adapter = gpu("Card (2nd gen)_Some driver", "discrete");
  const auto chip = std::make_shared<StubDevice>("Chip X_maker", DeviceType::accelerator);
  const auto chooser = chooser_of({adapter.get(), processor.get()});
  const DeviceList list = list_devices(DeviceRegistry({processor, chip, adapter, chooser}));
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0]->name, "vulkan-card-2nd-gen");
  EXPECT_EQ(list[0]->type, ANEURALNETWORKS_DEVICE_GPU);
  EXPECT_EQ(list[0]->version, "Driver 7");
  EXPECT_EQ(list[1]->name, "chip-x");
  EXPECT_EQ(list[1]->type, ANEURALNETWORKS_DEVICE_ACCELERATOR);
  EXPECT_EQ(list[2]->name, "nnapi-reference");
  EXPECT_EQ(list[2]->type, ANEURALNETWORKS_DEVICE_CPU);
  EXPECT_EQ(list[2]->device, processor.get());
}

TEST(DeviceList, DistinguishesEqualNames) {
  const DeviceList list = list_devices(
      DeviceRegistry({gpu("Card_a", "discrete"), gpu("Card_b", "discrete"), gpu("card_c", "discrete")}));
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0]->name, "vulkan-card");
  EXPECT_EQ(list[1]->name, "vulkan-card-2");
  EXPECT_EQ(list[2]->name, "vulkan-card-3");
}

TEST(DeviceList, ReportsSoftwareAsCpu) {
  const DeviceList list = list_devices(DeviceRegistry({gpu("Soft_a", "software")}));
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0]->name, "vulkan-soft");
  EXPECT_EQ(list[0]->type, ANEURALNETWORKS_DEVICE_CPU);
}

TEST(DeviceList, ListsMembersOfAutoDevice) {
  const auto processor = cpu();
  const DeviceList list = list_devices(DeviceRegistry({chooser_of({processor.get()})}));
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0]->device, processor.get());
}

}  // namespace
}  // namespace nnrt::nnapi

namespace nnapi_tests {
namespace {

// The checks of "Devices".
TEST(Device, FunctionsCheckTheirArguments) {
  uint32_t count = 0;
  ANeuralNetworksDevice* device = nullptr;
  EXPECT_EQ(ANeuralNetworks_getDeviceCount(nullptr), kNull);
  ASSERT_EQ(ANeuralNetworks_getDeviceCount(&count), kOk);
  EXPECT_EQ(ANeuralNetworks_getDevice(0, nullptr), kNull);
  EXPECT_EQ(ANeuralNetworks_getDevice(count, &device), kData);
  ASSERT_EQ(ANeuralNetworks_getDevice(0, &device), kOk);
  ANeuralNetworksDevice* again = nullptr;
  ASSERT_EQ(ANeuralNetworks_getDevice(0, &again), kOk);
  EXPECT_EQ(device, again);
  const char* text = nullptr;
  int32_t type = 0;
  int64_t level = 0;
  EXPECT_EQ(ANeuralNetworksDevice_getName(nullptr, &text), kNull);
  EXPECT_EQ(ANeuralNetworksDevice_getName(device, nullptr), kNull);
  EXPECT_EQ(ANeuralNetworksDevice_getVersion(nullptr, &text), kNull);
  EXPECT_EQ(ANeuralNetworksDevice_getVersion(device, nullptr), kNull);
  EXPECT_EQ(ANeuralNetworksDevice_getType(nullptr, &type), kNull);
  EXPECT_EQ(ANeuralNetworksDevice_getType(device, nullptr), kNull);
  EXPECT_EQ(ANeuralNetworksDevice_getFeatureLevel(nullptr, &level), kNull);
  EXPECT_EQ(ANeuralNetworksDevice_getFeatureLevel(device, nullptr), kNull);
  EXPECT_EQ(ANeuralNetworksDevice_wait(nullptr), kNull);
  EXPECT_EQ(ANeuralNetworksDevice_wait(device), kOk);
}

TEST(Device, ReportsItsProperties) {
  std::set<std::string> names;
  for (const ANeuralNetworksDevice* const device : devices()) {
    const char *name = nullptr, *version = nullptr;
    int32_t type = -1;
    int64_t level = 0;
    EXPECT_EQ(ANeuralNetworksDevice_getName(device, &name), kOk);
    EXPECT_EQ(ANeuralNetworksDevice_getVersion(device, &version), kOk);
    EXPECT_EQ(ANeuralNetworksDevice_getType(device, &type), kOk);
    EXPECT_EQ(ANeuralNetworksDevice_getFeatureLevel(device, &level), kOk);
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_STRNE(version, "");
    EXPECT_GE(type, 0);
    EXPECT_LE(type, 4);
    EXPECT_LE(level, ANeuralNetworks_getRuntimeFeatureLevel());
  }
  EXPECT_TRUE(names.contains("nnapi-reference"));
}

TEST(Runtime, SaysItsLevelAndItsTimeouts) {
  EXPECT_EQ(ANeuralNetworks_getRuntimeFeatureLevel(), 1000008);
  EXPECT_EQ(ANeuralNetworks_getDefaultLoopTimeout(), 2'000'000'000u);
  EXPECT_EQ(ANeuralNetworks_getMaximumLoopTimeout(), 15'000'000'000u);
}

}  // namespace
}  // namespace nnapi_tests
