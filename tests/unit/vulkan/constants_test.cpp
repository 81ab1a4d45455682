#include "backends/vulkan/constants.h"

#include <gtest/gtest.h>

namespace nnrt::vulkan {
namespace {

DevicePlan plan_of(uint64_t alignment, uint64_t max_allocation) {
  DevicePlan plan;
  plan.storage_alignment = alignment;
  plan.max_allocation = max_allocation;
  return plan;
}

std::shared_ptr<const Bytes> bytes(size_t count) { return std::make_shared<const Bytes>(count); }

TEST(Constants, AreAlignedAndWholeVectors) {
  Constants constants(plan_of(256, 1 << 20));
  EXPECT_EQ(constants.raw(3, bytes(5)), (Region{Region::Home::constant, 0, 0, 16}));
  EXPECT_EQ(constants.raw(4, bytes(20)), (Region{Region::Home::constant, 0, 256, 32}));
}

TEST(Constants, ATensorIsPlacedOnce) {
  Constants constants(plan_of(16, 1 << 20));
  const Region first = constants.raw(3, bytes(8));
  EXPECT_EQ(constants.raw(3, bytes(8)), first);
}

TEST(Constants, EachFormIsPackedOnce) {
  Constants constants(plan_of(16, 1 << 20));
  int calls = 0;
  const auto pack = [&] {
    ++calls;
    return Bytes(8);
  };
  const uint32_t id = constants.packed(3, "fours", pack);
  EXPECT_EQ(constants.packed(3, "fours", pack), id);
  EXPECT_NE(constants.packed(3, "eights", pack), id);
  EXPECT_EQ(calls, 2);
}

TEST(Constants, GoOnInAnotherBufferWhereOneIsFull) {
  Constants constants(plan_of(16, 64));
  EXPECT_EQ(constants.raw(0, bytes(40)).index, 0u);
  EXPECT_EQ(constants.raw(1, bytes(40)), (Region{Region::Home::constant, 1, 0, 48}));
}

}  // namespace
}  // namespace nnrt::vulkan
