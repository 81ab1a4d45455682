#include "tests/unit/api/api_test_handles.h"

#include <neural_network_runtime/nnrt_extensions.h>

#include <cstring>
#include <string>

using namespace api_tests;

namespace {

std::vector<size_t> all_ids() {
  const size_t* ids = nullptr;
  uint32_t count = 0;
  EXPECT_EQ(OH_NNDevice_GetAllDevicesID(&ids, &count), OH_NN_SUCCESS);
  return {ids, ids + count};
}

}  // namespace

TEST(Device, IdsAreNotZeroAndStay) {
  const std::vector<size_t> ids = all_ids();
  ASSERT_FALSE(ids.empty());
  for (const size_t id : ids) EXPECT_NE(id, 0u);
  EXPECT_EQ(all_ids(), ids);
}

TEST(Device, ZeroIsTheFirst) {
  const char *first = nullptr, *zero = nullptr;
  ASSERT_EQ(OH_NNDevice_GetName(all_ids().front(), &first), OH_NN_SUCCESS);
  ASSERT_EQ(OH_NNDevice_GetName(0, &zero), OH_NN_SUCCESS);
  EXPECT_EQ(first, zero);
}

TEST(Device, IsFoundByItsType) {
  size_t id = 0;
  ASSERT_EQ(OH_NNRt_FindDevice(OH_NN_CPU, &id), OH_NN_SUCCESS);
  EXPECT_EQ(id, all_ids().back());
  OH_NN_DeviceType type = OH_NN_OTHERS;
  EXPECT_EQ(OH_NNDevice_GetType(id, &type), OH_NN_SUCCESS);
  EXPECT_EQ(type, OH_NN_CPU);
  EXPECT_EQ(OH_NNRt_FindDevice(OH_NN_ACCELERATOR, &id), OH_NN_FAILED);
  for (const int number : {4, -1}) {
    std::memcpy(&type, &number, sizeof type);
    EXPECT_EQ(OH_NNRt_FindDevice(type, &id), OH_NN_INVALID_PARAMETER);
  }
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

TEST(Device, TheLastOneIsTheCpu) {
  OH_NN_DeviceType type = OH_NN_OTHERS;
  ASSERT_EQ(OH_NNDevice_GetType(all_ids().back(), &type), OH_NN_SUCCESS);
  EXPECT_EQ(type, OH_NN_CPU);
}

TEST(Device, DescriptionIsJson) {
  size_t length = 0;
  ASSERT_EQ(OH_NNRt_DescribeDevice(0, nullptr, 0, &length), OH_NN_SUCCESS);
  std::string text(length + 1, '?');
  ASSERT_EQ(OH_NNRt_DescribeDevice(0, text.data(), text.size(), &length), OH_NN_SUCCESS);
  EXPECT_EQ(text.find('\0'), length);
  EXPECT_EQ(text.find("{\"id\":\"" + std::to_string(all_ids().front()) +
                      "\",\"name\":\"CPU_NNRt\",\"type\":\"cpu\","),
            0u);
  EXPECT_EQ(text[length - 1], '}');
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
