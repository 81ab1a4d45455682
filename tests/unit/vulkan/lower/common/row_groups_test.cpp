#include "backends/vulkan/lower/common/row_groups.h"

#include <gtest/gtest.h>

namespace nnrt::test {
namespace {

TEST(RowGroups, FitIntoSharedMemory) {
  vulkan::DevicePlan plan;
  plan.cores = 132;
  plan.subgroup_size = 32;
  plan.max_group_invocations = 1024;
  for (const auto& [bytes, lanes] : {std::pair(49152u, 1024u), {16384u, 512u}, {0u, 256u}}) {
    plan.max_shared_bytes = bytes;
    EXPECT_EQ(vulkan::row_group_for({1, 1 << 20, 1}, plan).lanes, lanes);
  }
}

}  // namespace
}  // namespace nnrt::test
