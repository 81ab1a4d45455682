// The library as OpenHarmony's services load it.
#include "tests/support/small_hdi_model.h"

#include <neural_network_runtime/hdi/v2_0/innrt_device_vdi.h>

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace nnrt::test {
namespace {

class DriverLibrary : public testing::Test {
 protected:
  DriverLibrary() {
    setenv("NNRT_DRIVER_DEVICES", "cpu", 1);
    setenv("NNRT_DRIVER_NAME", "Board", 1);
    library_ = dlopen(DRIVER_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library_, nullptr) << dlerror();
  }

  template <typename Function>
  Function* find(const char* name) {
    auto* const found = reinterpret_cast<Function*>(dlsym(library_, name));
    EXPECT_NE(found, nullptr) << name;
    return found;
  }
  template <typename Device>
  void expect_works(Device& device) {
    std::string name;
    EXPECT_EQ(device.GetDeviceName(name), 0);
    EXPECT_EQ(name, "Board");
    std::vector<bool> supported;
    EXPECT_EQ(device.GetSupportedOperation(SmallHdiModel().model, supported), 0);
    EXPECT_EQ(supported, std::vector<bool>(2, true));
  }

  void* library_ = nullptr;
};

TEST_F(DriverLibrary, ServesTheGenericService) {
  auto* const create = find<decltype(CreateNnrtDeviceVdi)>("CreateNnrtDeviceVdi");
  auto* const destroy = find<decltype(DestroyNnrtDeviceVdi)>("DestroyNnrtDeviceVdi");
  hdi::INnrtDeviceVdi* const first = create();
  hdi::INnrtDeviceVdi* const second = create();
  ASSERT_NE(first, nullptr);
  expect_works(*first);
  destroy(first);
  expect_works(*second);
  destroy(second);
  destroy(nullptr);
}

TEST_F(DriverLibrary, IsAServiceItself) {
  const std::unique_ptr<hdi::INnrtDevice> device(
      find<decltype(NnrtDeviceImplGetInstance)>("NnrtDeviceImplGetInstance")());
  ASSERT_NE(device, nullptr);
  expect_works(*device);
  uint32_t major = 0, minor = 0;
  EXPECT_EQ(device->GetVersion(major, minor), 0);
  EXPECT_EQ(major, 2u);
  EXPECT_EQ(minor, 1u);
}

TEST_F(DriverLibrary, ServesV1_0) {
  const std::unique_ptr<::nnrt::hdi::V1_0::INnrtDevice> device(
      find<decltype(CreateNnrtDeviceV1_0)>("CreateNnrtDeviceV1_0")());
  ASSERT_NE(device, nullptr);
  expect_works(*device);
  uint32_t major = 0, minor = 9;
  EXPECT_EQ(device->GetVersion(major, minor), 0);
  EXPECT_EQ(major, 1u);
  EXPECT_EQ(minor, 0u);
}

TEST_F(DriverLibrary, ExportsNothingElse) {
  EXPECT_EQ(dlsym(library_, "OH_NNRt_RegisterDevice"), nullptr);
  EXPECT_EQ(dlsym(library_, "OH_NNModel_Construct"), nullptr);
}

}  // namespace
}  // namespace nnrt::test
