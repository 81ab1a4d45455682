// Row groups get larger and have fewer adjacent rows if cores would idle otherwise.
#include "backends/vulkan/lower/common/row_groups.h"

#include <gtest/gtest.h>

namespace nnrt::test {
namespace {

vulkan::DevicePlan gpu(uint32_t shared_bytes = 49152) {
  vulkan::DevicePlan plan;
  plan.cores = 132;
  plan.subgroup_size = 32;
  plan.max_group_invocations = 1024;
  plan.max_shared_bytes = shared_bytes;
  return plan;
}

struct Shared {
  uint32_t across, lanes, groups;
  bool operator==(const Shared&) const = default;
};

Shared shared(const vulkan::Rows& rows, const vulkan::DevicePlan& plan = gpu()) {
  const vulkan::RowGroup group = vulkan::row_group_for(rows, plan);
  return {group.across, group.lanes, vulkan::groups_of(rows, group)};
}

// Adjacent rows, as in global pools: vec4 of channels, cells of an image.
TEST(RowGroups, NarrowWhenGroupsAreFew) {
  EXPECT_EQ(shared({320, 49, 320}), (Shared{8, 32, 40}));       // 7x7, 1,280 channels: two loads each
  EXPECT_EQ(shared({240, 196, 240}), (Shared{4, 64, 60}));      // 14x14
  EXPECT_EQ(shared({36, 3136, 36}), (Shared{2, 512, 18}));      // 56x56
  EXPECT_EQ(shared({8, 12544, 8}), (Shared{2, 512, 4}));        // 112x112
  EXPECT_EQ(shared({2048, 3136, 2048}), (Shared{8, 32, 256}));  // enough rows
}

TEST(RowGroups, GetLargerWhereFewRowsAreLong) {
  EXPECT_EQ(shared({1, 250, 1}), (Shared{1, 128, 1}));
  EXPECT_EQ(shared({1, 512, 1}), (Shared{1, 256, 1}));
  EXPECT_EQ(shared({1, 4096, 1}), (Shared{1, 512, 1}));
  EXPECT_EQ(shared({1, 1 << 20, 1}), (Shared{1, 1024, 1}));
  EXPECT_EQ(shared({132, 1 << 20, 1}), (Shared{1, 256, 132}));
}

TEST(RowGroups, FitIntoSharedMemory) {
  EXPECT_EQ(shared({1, 1 << 20, 1}, gpu(16384)), (Shared{1, 512, 1}));
  EXPECT_EQ(shared({1, 1 << 20, 1}, gpu(0)), (Shared{1, 256, 1}));
}

}  // namespace
}  // namespace nnrt::test
