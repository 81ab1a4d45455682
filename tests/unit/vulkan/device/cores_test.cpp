#include "backends/vulkan/device/cores.h"

#include <gtest/gtest.h>

namespace nnrt::vulkan {
namespace {

TEST(Cores, ComeFromDriver) {
  Snapshot snapshot;
  snapshot.kind = Kind::discrete;
  snapshot.cores = 132;
  EXPECT_EQ(cores_of(snapshot), 132u);
}

TEST(Cores, AreKnownByGpuName) {
  const auto cores = [](uint32_t vendor, std::string name) {
    Snapshot snapshot;
    snapshot.vendor_id = vendor;
    snapshot.device_name = std::move(name);
    snapshot.kind = Kind::discrete;
    return cores_of(snapshot);
  };
  EXPECT_EQ(cores(kIntel, "Intel(R) Arc(tm) A770 Graphics (DG2)"), 32u);
  EXPECT_EQ(cores(kIntel, "Intel(R) Arc(tm) B580 Graphics (BMG G21)"), 20u);
  EXPECT_EQ(cores(0x106b, "Apple M1 Max (G13C C0)"), 32u);
  EXPECT_EQ(cores(0x106b, "Apple M1 (G13G B1)"), 8u);
  EXPECT_NE(cores(0x10de, "Quadro A770"), 32u);
  EXPECT_EQ(cores(kQualcomm, "Adreno (TM) 650"), 3u);
  EXPECT_EQ(cores(kQualcomm, "Turnip Adreno (TM) 740"), 6u);
  EXPECT_EQ(cores(kArm, "Mali-G610 MC6"), 6u);
  EXPECT_EQ(cores(kArm, "Mali-G72 MP12"), 12u);
  EXPECT_EQ(cores(kArm, "Mali-G310"), 2u);
  EXPECT_EQ(cores(kArm, "Mali-G57"), 3u);
  EXPECT_EQ(cores(kArm, "Mali-X99"), 6u);
}

TEST(Cores, AreGuessedByVendorAndKind) {
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
