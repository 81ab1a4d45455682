#include "backends/vulkan/device/processors.h"

#include <gtest/gtest.h>

namespace nnrt::vulkan {
namespace {

TEST(Processors, AreThoseThatTheDriverTells) {
  Snapshot snapshot;
  snapshot.kind = Kind::discrete;
  snapshot.processors = 132;
  EXPECT_EQ(processors_of(snapshot), 132u);
}

TEST(Processors, AreGuessedByVendorAndKindWhereItDoesNot) {
  Snapshot snapshot;
  snapshot.vendor_id = 0x10de;
  snapshot.kind = Kind::discrete;
  const uint32_t discrete = processors_of(snapshot);
  snapshot.kind = Kind::integrated;
  EXPECT_LT(processors_of(snapshot), discrete);
  snapshot.vendor_id = 0x7777;
  EXPECT_GT(processors_of(snapshot), 0u);
  snapshot.kind = Kind::cpu;
  EXPECT_GT(processors_of(snapshot), 0u);
}

}  // namespace
}  // namespace nnrt::vulkan
