#include "core/device/device_registry.h"

#include "tests/support/stub_device.h"

#include <gtest/gtest.h>

#include <functional>
#include <new>

namespace nnrt {
namespace {

std::shared_ptr<Device> device(std::string name, DeviceType type,
                               DeviceStatus status = DeviceStatus::available) {
  return std::make_shared<test::StubDevice>(std::move(name), type, status);
}

TEST(DeviceRegistry, CallsTheFirstDeviceByTheIdZero) {
  const DeviceRegistry registry({device("a", DeviceType::gpu), device("b", DeviceType::cpu)});
  EXPECT_EQ(registry.find(0)->info().name, "a");
  EXPECT_EQ(registry.find(registry.ids()[1])->info().name, "b");
  EXPECT_EQ(registry.find(12345), nullptr);
  EXPECT_EQ(registry.cpu()->info().name, "b");
}

TEST(DeviceRegistry, LeavesOutLostDevicesAndRepeatedIds) {
  const DeviceRegistry registry({device("a", DeviceType::gpu), device("a", DeviceType::gpu),
                                 device("b", DeviceType::gpu, DeviceStatus::lost)});
  EXPECT_EQ(registry.ids().size(), 1u);
}

TEST(DeviceRegistry, WithoutDevicesFindsNone) {
  const DeviceRegistry registry({});
  EXPECT_EQ(registry.find(0), nullptr);
  EXPECT_EQ(registry.cpu(), nullptr);
}

// A registry with a CPU, and the number of times it was enumerated.
struct LazyRegistry {
  int enumerations = 0;
  std::shared_ptr<Device> cpu = device("cpu", DeviceType::cpu);
  DeviceRegistry registry{cpu, [this] {
                            ++enumerations;
                            return DeviceRegistry::Devices{device("gpu", DeviceType::gpu), cpu,
                                                           device("npu", DeviceType::accelerator)};
                          }};
};

TEST(LazyDeviceRegistry, FindsTheCpuWithoutEnumerating) {
  const LazyRegistry lazy;
  EXPECT_EQ(lazy.registry.find(lazy.cpu->info().id), lazy.cpu.get());
  EXPECT_EQ(lazy.registry.first_of(DeviceType::cpu), lazy.cpu.get());
  EXPECT_EQ(lazy.registry.cpu(), lazy.cpu.get());
  EXPECT_EQ(lazy.enumerations, 0);
}

TEST(LazyDeviceRegistry, EnumeratesOnceForAnythingElse) {
  for (const auto& first_question : std::vector<std::function<void(const DeviceRegistry&)>>{
           [](const auto& registry) { EXPECT_EQ(registry.find(0)->info().name, "gpu"); },
           [](const auto& registry) { EXPECT_EQ(registry.find(12345), nullptr); },
           [](const auto& registry) { EXPECT_EQ(registry.ids().size(), 3u); },
           [](const auto& registry) {
             EXPECT_EQ(registry.first_of(DeviceType::accelerator)->info().name, "npu");
             EXPECT_EQ(registry.first_of(DeviceType::others), nullptr);
           }}) {
    const LazyRegistry lazy;
    first_question(lazy.registry);
    EXPECT_EQ(lazy.registry.ids()[1], lazy.cpu->info().id);
    EXPECT_EQ(lazy.registry.find(lazy.cpu->info().id), lazy.cpu.get());
    EXPECT_EQ(lazy.enumerations, 1);
  }
}

TEST(LazyDeviceRegistry, ReservesTheCpuId) {
  const auto cpu = device("cpu", DeviceType::cpu);
  const DeviceRegistry registry(cpu, [&] {
    return DeviceRegistry::Devices{device("cpu", DeviceType::gpu), cpu};
  });
  EXPECT_EQ(registry.ids().size(), 1u);
  EXPECT_EQ(registry.find(0), cpu.get());
}

TEST(LazyDeviceRegistry, EnumeratesAgainAfterAFailure) {
  int enumerations = 0;
  const DeviceRegistry registry(nullptr, [&] {
    if (++enumerations == 1) throw std::bad_alloc();
    return DeviceRegistry::Devices{device("gpu", DeviceType::gpu)};
  });
  EXPECT_THROW(registry.ids(), std::bad_alloc);
  EXPECT_EQ(registry.ids().size(), 1u);
}

TEST(DeviceId, IsTheSameInEveryProcess) {
  EXPECT_EQ(device_id("CPU_NNRt"), device_id(std::string("CPU_") + "NNRt"));
}

TEST(BuiltinSelection, ReadsAListOfWords) {
  EXPECT_TRUE(builtin_selection(nullptr).cpu && builtin_selection(nullptr).vulkan);
  EXPECT_TRUE(builtin_selection("cpu").cpu && !builtin_selection("cpu").vulkan);
  EXPECT_TRUE(builtin_selection("cpu,vulkan").vulkan);
  EXPECT_TRUE(builtin_selection("gpu").vulkan && !builtin_selection("gpu").cpu);
  EXPECT_EQ(builtin_selection("gpu,cpu").order, builtin_selection("vulkan,cpu").order);
  EXPECT_TRUE(hosted_selection("gpu").vulkan);
  EXPECT_TRUE(builtin_selection(nullptr).chooser && !builtin_selection("cpu,vulkan").chooser);
  EXPECT_TRUE(builtin_selection("auto").chooser && !builtin_selection("auto").cpu);
  EXPECT_FALSE(builtin_selection("none").cpu || builtin_selection("none").vulkan);
  EXPECT_FALSE(builtin_selection("").cpu);
  EXPECT_TRUE(builtin_selection("prefix:NPU_").cpu && builtin_selection("prefix:NPU_").chooser);
  EXPECT_TRUE(builtin_selection("prefix:NPU_,cpu").cpu && !builtin_selection("prefix:NPU_,cpu").vulkan);
  EXPECT_EQ(name_prefix("cpu,prefix:NPU_"), "NPU_");
  EXPECT_EQ(name_prefix("cpu"), "");
  EXPECT_EQ(name_prefix(nullptr), "");
}

// The names of all devices, sorted for a value of NNRT_DEVICES.
std::string order(const char* selection) {
  const auto gpu = [](std::string name, std::string kind) {
    auto made = std::make_shared<test::StubDevice>(std::move(name), DeviceType::gpu);
    made->properties_of_test = {{"kind", std::move(kind)}, {"vulkan", std::string("1.3")}};
    return made;
  };
  const auto cpu = device("cpu", DeviceType::cpu);
  const auto chooser = std::make_shared<test::StubDevice>("auto", DeviceType::others);
  chooser->members_of_test = {cpu.get()};
  DeviceRegistry::Devices devices{
      chooser, gpu("llvmpipe", "software"), device("hosted", DeviceType::accelerator),
      cpu,     gpu("card", "discrete"),     gpu("chip", "integrated")};
  sort_devices(devices, builtin_selection(selection));
  std::string names;
  for (const auto& it : devices) names += it->info().name + ' ';
  return names;
}

TEST(DeviceOrder, HasSoftwareGpusBehindTheCpu) {
  EXPECT_EQ(order(nullptr), "card chip hosted cpu llvmpipe auto ");
  EXPECT_EQ(order("prefix:NPU_"), "card chip hosted cpu llvmpipe auto ");
}

TEST(DeviceOrder, FollowsSetting) {
  EXPECT_EQ(order("vulkan,cpu,auto"), "llvmpipe card chip cpu auto hosted ");
  EXPECT_EQ(order("auto,prefix:NPU_,cpu,vulkan"), "auto cpu llvmpipe card chip hosted ");
}

}  // namespace
}  // namespace nnrt
