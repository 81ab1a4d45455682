#include "tests/support/simple_device.h"

#include <neural_network_runtime/hdi/ohos_shims.h>

#include <gtest/gtest.h>

namespace {

// How OpenHarmony looks up a driver.
struct Service {
  static OHOS::sptr<OHOS::HDI::Nnrt::V2_0::INnrtDevice> Get() {
    auto traits = std::make_shared<nnrt::test::SimpleTraits>();
    traits->name = "Shimmed";
    HDF_LOGD("%s is looked up", traits->name.c_str());
    return std::make_shared<nnrt::test::SimpleDevice>(traits);
  }
};

}  // namespace

NNRT_EXPORT_PLUGIN_OF_GET(Service)

TEST(OhosShims, LookupFindsTheDevice) {
  EXPECT_EQ(NNRtPlugin_GetAbi(), nnrt::hdi::kPluginAbi);
  auto* const device = NNRtPlugin_CreateDevice(NNRtPlugin_GetAbi(), 0);
  ASSERT_NE(device, nullptr);
  std::string name;
  EXPECT_EQ(device->GetDeviceName(name), HDF_SUCCESS);
  EXPECT_EQ(name, "Shimmed");
  EXPECT_EQ(NNRtPlugin_CreateDevice(NNRtPlugin_GetAbi(), 1), nullptr);
  NNRtPlugin_DestroyDevice(device);
  EXPECT_EQ(NNRtPlugin_CreateDevice(NNRtPlugin_GetAbi(), 0), device);  // it lives as long as the process
}

TEST(OhosShims, CopiesRejectShortBuffers) {
  char target[4] = {'a', 'b', 'c', 'd'};
  EXPECT_EQ(memcpy_s(target, sizeof target, "wxyz!", 5), ERANGE);
  EXPECT_EQ(target[0], 'a');
  EXPECT_EQ(memcpy_s(target, sizeof target, "wx", 2), EOK);
  EXPECT_EQ(std::string(target, 4), "wxcd");
  EXPECT_EQ(memmove_s(target + 1, 3, target, 3), EOK);
  EXPECT_EQ(std::string(target, 4), "wwxc");
  EXPECT_EQ(memcpy_s(nullptr, 4, "wx", 2), EINVAL);
  EXPECT_EQ(memset_s(target, sizeof target, 'z', 5), ERANGE);
  EXPECT_EQ(memset_s(target, sizeof target, 'z', 4), EOK);
  EXPECT_EQ(std::string(target, 4), "zzzz");
}

TEST(OhosShims, ShortBufferYieldsEmptyText) {
  char target[4] = "abc";
  EXPECT_EQ(strcpy_s(target, sizeof target, "wxyz"), ERANGE);
  EXPECT_STREQ(target, "");
  EXPECT_EQ(strcpy_s(target, sizeof target, "xyz"), EOK);
  EXPECT_STREQ(target, "xyz");
  EXPECT_EQ(strcpy_s(target, 0, "xyz"), EINVAL);
}
