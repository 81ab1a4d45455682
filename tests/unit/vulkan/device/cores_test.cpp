#include "backends/vulkan/device/cores.h"

#include <gtest/gtest.h>

namespace nnrt::vulkan {
namespace {

TEST(Cores, AreThoseThatTheDriverTells) {
  Snapshot snapshot;
  snapshot.kind = Kind::discrete;
  snapshot.cores = 132;
  EXPECT_EQ(cores_of(snapshot), 132u);
}

TEST(Cores, AreGuessedByVendorAndKindWhereItDoesNot) {
  Snapshot snapshot;
  snapshot.vendor_id = 0x10de;
  snapshot.kind = Kind::discrete;
  const uint32_t discrete = cores_of(snapshot);
  snapshot.kind = Kind::integrated;
  EXPECT_LT(cores_of(snapshot), discrete);
  snapshot.vendor_id = 0x7777;
  EXPECT_GT(cores_of(snapshot), 0u);
  snapshot.kind = Kind::cpu;
  EXPECT_GT(cores_of(snapshot), 0u);
}

}  // namespace
}  // namespace nnrt::vulkan
