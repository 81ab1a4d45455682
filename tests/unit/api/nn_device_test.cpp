#include "tests/unit/api/api_test_handles.h"

#include <neural_network_runtime/nnrt_extensions.h>

#include <string>

using namespace api_tests;

TEST(Device, IdsAreNotZeroAndStay) {
  const std::vector<size_t> ids = device_ids();
  ASSERT_FALSE(ids.empty());
  for (const size_t id : ids) EXPECT_NE(id, 0u);
  EXPECT_EQ(device_ids(), ids);
}

TEST(Device, ZeroIsTheFirst) { EXPECT_EQ(device_name(0), device_name(device_ids().front())); }

TEST(Device, IsFoundByItsType) {
  size_t id = 0;
  ASSERT_EQ(OH_NNRt_FindDevice(OH_NN_CPU, &id), OH_NN_SUCCESS);
  EXPECT_EQ(id, device_ids().back());
  EXPECT_EQ(OH_NNRt_FindDevice(OH_NN_ACCELERATOR, &id), OH_NN_FAILED);
  for (const int number : {4, -1})
    EXPECT_EQ(OH_NNRt_FindDevice(any<OH_NN_DeviceType>(number), &id), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNRt_FindDevice(OH_NN_CPU, nullptr), OH_NN_INVALID_PARAMETER);
}

TEST(Device, ListWantsNullOnEntry) {
  const size_t taken = 1;
  const size_t* ids = &taken;
  uint32_t count = 9;
  EXPECT_EQ(OH_NNDevice_GetAllDevicesID(&ids, &count), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(ids, &taken);
  EXPECT_EQ(count, 9u);
}

TEST(Device, UnknownOnesHaveNoNameAndNoType) {
  const char* name = nullptr;
  OH_NN_DeviceType type = OH_NN_ACCELERATOR;
  EXPECT_EQ(OH_NNDevice_GetName(12345, &name), OH_NN_FAILED);
  EXPECT_EQ(OH_NNDevice_GetType(12345, &type), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(name, nullptr);
  EXPECT_EQ(type, OH_NN_ACCELERATOR);
}

TEST(Device, NameWantsNullOnEntry) {
  const char* name = "taken";
  EXPECT_EQ(OH_NNDevice_GetName(0, &name), OH_NN_INVALID_PARAMETER);
  EXPECT_STREQ(name, "taken");
}

TEST(Device, TheLastOneIsTheCpu) { EXPECT_EQ(device_type(device_ids().back()), OH_NN_CPU); }

TEST(Device, DescriptionIsJson) {
  const std::string text = text_of([](char* buffer, size_t size, size_t* length) {
    return OH_NNRt_DescribeDevice(0, buffer, size, length);
  });
  EXPECT_EQ(text.find("{\"id\":\"" + std::to_string(device_ids().front()) +
                      "\",\"name\":\"CPU_NNRt\",\"type\":\"cpu\","),
            0u);
  EXPECT_EQ(text.back(), '}');
}

TEST(Device, DescriptionNeedsEnoughRoom) {
  size_t length = 0;
  ASSERT_EQ(OH_NNRt_DescribeDevice(0, nullptr, 0, &length), OH_NN_SUCCESS);
  std::string text(length, '?');
  EXPECT_EQ(OH_NNRt_DescribeDevice(0, text.data(), text.size(), &length), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(text, std::string(length, '?'));
  EXPECT_EQ(length, text.size());
}

TEST(Device, DescriptionRefusesNullAndUnknownDevices) {
  size_t length = 0;
  char byte = 0;
  EXPECT_EQ(OH_NNRt_DescribeDevice(0, &byte, 1, nullptr), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNRt_DescribeDevice(0, nullptr, 1, &length), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNRt_DescribeDevice(77, &byte, 1, &length), OH_NN_FAILED);
}
