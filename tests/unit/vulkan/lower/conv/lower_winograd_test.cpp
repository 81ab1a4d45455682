// Winograd's weights, and what lowering reads of them.
#include "backends/vulkan/lower/conv/winograd_weights.h"
#include "backends/vulkan/program/trial_lowering.h"
#include "tests/support/lowered_node.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace nnrt::test {
namespace {

// 3x3 on a software driver.
LoweredNode convolution(int64_t channels) {
  LoweredNode node(Op::conv2d);
  node.plan.is_software = true;
  node.plan.max_texels = 1 << 27;
  node.plan.max_storage_range = 1 << 27;
  node.plan.quad_operations = true;
  node.plan.storage_alignment = 256;
  node.plan.costs.node_us = 40;
  node.plan.costs.gflops[0] = 50;
  const Shape image{1, 56, 56, channels}, weights{channels, 3, 3, channels};
  node.input(image).floats(weights, std::vector<float>(size_t(*element_count(weights)))).input({channels});
  return node.integer(Attr::pad, {1, 1, 1, 1}).output(image);
}

// Weights of a restored model; only reports need to know their range.
TEST(LowerWinograd, IsTriedWithoutReadingTheWeights) {
  LoweredNode node = convolution(64);
  node.plan.max_group_invocations = 256;
  node.plan.max_group_size = {256, 256, 64};
  int reads = 0;
  node.defer(1, reads);
  const auto values = node.values();
  const vulkan::Lowering& rules = *vulkan::lowering(Op::conv2d);
  EXPECT_EQ(node.refusal(), std::nullopt);
  const auto trial = vulkan::trial_commands(node.view(values), rules, node.plan).value();
  EXPECT_TRUE(trial.dispatches.at(0).dispatch.shader.starts_with("winograd_input_f32_vec4"));
  EXPECT_EQ(reads, 0);
  EXPECT_EQ(vulkan::kernels_of(node.view(values), rules, node.plan).at(0).name, "winograd4");
  EXPECT_EQ(reads, 1);
}

// The last slice is smaller and must not be given the memory of a full one.
TEST(LowerWinograd, ShowsNoDispatchMoreThanAViewShows) {
  LoweredNode node = convolution(256);
  node.plan.max_texels = 65536;
  const RecordingSink sink = node.lower();
  size_t uncut = 0;
  for (size_t i = 0; i < sink.commands.size(); ++i) {
    const vulkan::Dispatch& dispatch = sink.dispatch(i);
    if (!dispatch.shader.starts_with("matmul")) continue;
    const vulkan::Slice& slice = dispatch.slices.at(0);
    const uint64_t whole = sink.scratches.at(dispatch.buffers[0].id);
    EXPECT_LE(slice == vulkan::Slice{} ? whole : slice.bytes, uint64_t{65536} * 16) << i;
    uncut += slice == vulkan::Slice{} ? 1 : 0;
  }
  EXPECT_GT(uncut, 0u);
}

std::vector<float> floats(const vulkan::Packing& packing) {
  const SharedBytes bytes = packing.all();
  std::vector<float> values(bytes->size() / sizeof(float));
  std::memcpy(values.data(), bytes->data(), bytes->size());
  return values;
}

TEST(WinogradWeights, StandByQuadsForSumsWithoutTiles) {
  std::vector<float> taps(8 * 9 * 4);  // [out][taps][in]
  std::iota(taps.begin(), taps.end(), 0.0f);
  const std::vector<float> quads = floats(vulkan::taps_by_quads(std::as_bytes(std::span(taps)).data(), 4, 8));
  ASSERT_EQ(quads.size(), taps.size());
  for (size_t out = 0; out < 8; ++out)
    for (size_t i = 0; i < 36; ++i)
      EXPECT_EQ(quads[(out / 4 * 36 + i) * 4 + out % 4], taps[out * 36 + i]) << out << ", " << i;
}

// Parts may begin and end at any row of a point, and be shorter or longer than a point.
TEST(WinogradWeights, AreTheSameInParts) {
  constexpr uint32_t kIn = 3, kOut = 35;  // three blocks of 16, the last one incomplete
  std::vector<float> taps(kOut * 9 * kIn);
  for (size_t i = 0; i < taps.size(); ++i) taps[i] = std::sin(float(i));
  for (const uint32_t side : {2u, 4u}) {
    const vulkan::Packing packing =
        vulkan::winograd_weights(std::as_bytes(std::span(taps)).data(), kIn, kOut, side);
    ASSERT_EQ(packing.unit(), kIn * 16 * sizeof(float));
    ASSERT_EQ(packing.bytes(), (side + 2) * (side + 2) * 3 * packing.unit());
    const SharedBytes all = packing.all();
    for (const size_t rows : {1, 2, 3, 4, 7, 20}) {
      Bytes made(packing.bytes(), std::byte{0xa5});
      const size_t step = rows * packing.unit();
      for (size_t at = 0; at < made.size(); at += step)
        packing.write(at, std::span(made).subspan(at, std::min(step, made.size() - at)));
      EXPECT_TRUE(std::ranges::equal(made, *all)) << side << ", " << rows;
    }
  }
}

TEST(LowerWinograd, TakesWeightLimitFromTheSink) {
  class Sink final : public RecordingSink {
   public:
    float winograd_limit(TensorId tensor, const std::function<float()>& compute) override {
      limits.try_emplace(tensor, compute());
      return 7;  // what a cache says
    }
    std::map<TensorId, float> limits;
  } sink;
  ASSERT_TRUE(convolution(64).try_lower(sink).ok());
  EXPECT_EQ(sink.limits, (std::map<TensorId, float>{{1, std::numeric_limits<float>::max() / 65536 / 576}}));
  EXPECT_EQ(push_word<float>(sink.dispatch(0), 12), 7.0f);
}

// With all taps 1, the transform at interpolation point x is 1 + x + x^2, scaled by the point's factor.
TEST(WinogradWeights, AreTheKernelAtThePointsOfInterpolation) {
  const auto points_of = [](uint32_t side) {
    std::vector<float> taps(2 * 9 * 3);                          // [out][taps][in]
    for (size_t i = 0; i < 9; ++i) taps[9 * 3 + i * 3 + 1] = 1;  // channel 1 to channel 1
    const auto bytes = std::as_bytes(std::span(taps));
    const std::vector<float> all = floats(vulkan::winograd_weights(bytes.data(), 3, 2, side));
    const size_t points = (side + 2) * (side + 2);
    EXPECT_EQ(all.size(), points * 3 * 16);
    std::vector<float> own;
    for (size_t p = 0; p < points; ++p) own.push_back(all[(p * 3 + 1) * 16 + 1]);
    EXPECT_FLOAT_EQ(std::accumulate(all.begin(), all.end(), 0.0f),
                    std::accumulate(own.begin(), own.end(), 0.0f));
    return own;
  };
  const auto expect_gemms = [](const std::vector<float>& got, const std::vector<float>& line) {
    for (size_t i = 0; i < got.size(); ++i)
      EXPECT_FLOAT_EQ(got[i], line[i / line.size()] * line[i % line.size()]) << i;
  };
  expect_gemms(points_of(2), {1, 1.5f, 0.5f, 1});
  expect_gemms(points_of(4), {1 / 4.0f, -3 / 6.0f, -1 / 6.0f, 7 / 24.0f, 3 / 24.0f, 1});
}

}  // namespace
}  // namespace nnrt::test
