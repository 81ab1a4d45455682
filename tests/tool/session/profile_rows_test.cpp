#include "tools/nnrt/session/profile_rows.h"

#include <gtest/gtest.h>

namespace nnrt::tool {
namespace {

OperationTime on(const char* device, size_t operation, double ms) {
  const Work work{ms, 0, 0};
  return {operation, {operation}, {{"CAST", device, "FLOAT32", "[2]", work}}, work};
}

TEST(ProfileRows, LayersOnSeveralDevicesHaveNone) {
  ModelFile file{"x.tflite", import::Network{}, {}};
  file.network->tensors.assign(5, {"t", OH_NN_FLOAT32, OH_NN_FORMAT_NONE, {2}, {}, nullptr});
  file.network->layers = {{"custom", "boxes", {}}, {"CAST", "y", {}}};
  for (uint32_t i = 0; i < 4; ++i)
    file.network->operations.push_back({Op::cast, {i}, {i + 1}, {}, "", i < 3 ? 0u : 1u});
  Profile profile;
  profile.operations = {on("GPU", 0, 1), on("CPU", 1, 2), on("CPU", 2, 4), on("CPU", 3, 8)};
  const std::vector<ProfileRow> rows = rows_of(profile, file);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].device, "");
  EXPECT_EQ(rows[0].work.ms, 7);
  ASSERT_EQ(rows[0].nodes.size(), 3u);
  EXPECT_EQ(rows[0].nodes[0].device, "GPU");
  EXPECT_EQ(rows[1].device, "CPU");
  const std::vector<ProfileRow> sums = summed(rows);
  ASSERT_EQ(sums.size(), 2u);
  EXPECT_EQ(sums[1].device, "");
  ASSERT_EQ(sums[1].nodes.size(), 2u);
  EXPECT_EQ(sums[1].nodes[0].device + sums[1].nodes[1].device, "CPUGPU");
}

}  // namespace
}  // namespace nnrt::tool
