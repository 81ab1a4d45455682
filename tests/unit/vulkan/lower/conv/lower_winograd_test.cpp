// Chooses between direct 3x3 convolution and Winograd with 4x4 or 2x2 results per tile.
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

struct Convolution {
  int64_t side = 56, in = 64, out = 64;
  int64_t images = 1;
  int64_t stride = 1, groups = 1;
  bool fed_weights = false;
};

// On a software driver.
LoweredNode node_of(const Convolution& of) {
  LoweredNode node(Op::conv2d);
  node.plan.is_software = true;
  node.plan.max_texels = 1 << 27;
  node.plan.max_storage_range = 1 << 27;
  node.plan.quad_operations = true;
  node.plan.storage_alignment = 256;
  node.plan.costs.node_us = 40;
  node.plan.costs.gflops[0] = 50;
  const Shape weights{of.out, 3, 3, of.in / of.groups};
  node.input({of.images, of.side, of.side, of.in});
  if (of.fed_weights) {
    node.input(weights);
  } else {
    node.floats(weights, std::vector<float>(size_t(*element_count(weights))));
  }
  const int64_t out = (of.side - 1) / of.stride + 1;
  const auto stride = double(of.stride);
  node.input({of.out}).integer(Attr::pad, {1, 1, 1, 1}).integer(Attr::stride, {stride, stride});
  node.integer(Attr::group, {double(of.groups)}).output({of.images, out, out, of.out});
  return node;
}

// Results per side of a tile; 0 for a direct kernel.
uint32_t side_of(const LoweredNode& node) {
  const RecordingSink sink = node.lower();
  const vulkan::Dispatch& first = sink.dispatch(0);
  return first.shader.starts_with("winograd_input_f32_vec4") ? first.constants.at(0) : 0;
}
uint32_t side_of(const Convolution& of) { return side_of(node_of(of)); }

TEST(LowerWinograd, TransformsMultipliesAndTransformsBack) {
  const RecordingSink sink = node_of({.side = 14, .in = 128, .out = 256}).lower();
  ASSERT_EQ(sink.commands.size(), 3u);
  EXPECT_EQ(sink.dispatch(0).shader, "winograd_input_f32_vec4_texels");
  EXPECT_EQ(sink.dispatch(1).shader, "matmul_f32_vec4_texels");
  EXPECT_EQ(sink.dispatch(2).shader, "winograd_output_f32_vec4_texels");
  EXPECT_EQ(sink.dispatch(0).threads[0], 16u * 128 / 4);
  EXPECT_EQ(sink.dispatch(1).threads[2], 36u);
  EXPECT_EQ(sink.dispatch(2).threads[0], 16u * 256 / 4);
  EXPECT_EQ(sink.scratches, (std::vector<size_t>{36 * 16 * 128 * 4, 36 * 16 * 256 * 4}));
  ASSERT_EQ(sink.constants.size(), 2u);
  EXPECT_EQ(sink.constants.at("winograd 4").size(), 36u * 128 * 256 * 4);
  EXPECT_EQ(sink.constants.at("vec4 taps").size(), 9u * 128 * 256 * 4);
}

TEST(LowerWinograd, UsesLargeTilesIfThereAreEnough) {
  EXPECT_EQ(side_of({.side = 56, .in = 64, .out = 64}), 4u);
  EXPECT_EQ(side_of({.side = 14, .in = 256, .out = 256}), 4u);
}

TEST(LowerWinograd, TakesSmallTilesWhereLargeOnesSpillRegisters) {
  LoweredNode node = node_of({.side = 7, .in = 256, .out = 256, .images = 4});
  EXPECT_EQ(side_of(node), 4u);
  node.plan.max_registers = 128;
  EXPECT_EQ(side_of(node), 2u);
}

// GEMMs work on sixteen rows at a time, so four 4x4 tiles cost as much as sixteen 2x2 tiles.
TEST(LowerWinograd, TakesSmallTilesOfSmallImages) {
  EXPECT_EQ(side_of({.side = 7, .in = 256, .out = 256}), 2u);
  EXPECT_EQ(side_of({.side = 7, .in = 256, .out = 256, .images = 4}), 4u);
}

TEST(LowerWinograd, DeclinesIfTransformsDominate) {
  EXPECT_EQ(side_of({.side = 56, .in = 8, .out = 8}), 0u);
  EXPECT_EQ(side_of({.side = 3, .in = 64, .out = 64}), 0u);
}

TEST(LowerWinograd, StaysDirectWhereLittleIsSaved) {
  EXPECT_EQ(side_of({.side = 13, .in = 64, .out = 256}), 0u);
  EXPECT_EQ(side_of({.side = 13, .in = 64, .out = 256, .images = 3}), 4u);
}

TEST(LowerWinograd, CountsWhatDispatchesCost) {
  LoweredNode node = node_of({.side = 28, .in = 96, .out = 96});
  EXPECT_EQ(side_of(node), 4u);
  node.plan.costs.node_us = 1000;
  EXPECT_EQ(side_of(node), 0u);
}

TEST(LowerWinograd, NeedsUnitStrideAndConstantVec4Weights) {
  EXPECT_EQ(side_of({.stride = 2}), 0u);
  EXPECT_EQ(side_of({.groups = 2}), 0u);
  EXPECT_EQ(side_of({.in = 66}), 0u);
  EXPECT_EQ(side_of({.out = 66}), 0u);
  EXPECT_NE(node_of({.fed_weights = true}).lower().commands.size(), 3u);
}

// Halved the time of ResNet-18 on an H100.
TEST(LowerWinograd, IsForGpusTooInFewerSlices) {
  const auto on_gpu = [](const Convolution& of) {
    LoweredNode node = node_of(of);
    node.plan.is_software = false;
    node.plan.costs.node_us = 6;
    node.plan.costs.gflops[0] = 1500;
    return node;
  };
  EXPECT_EQ(side_of(on_gpu({})), 4u);
  EXPECT_EQ(side_of(on_gpu({.side = 14, .in = 16, .out = 16})), 0u);
  const Convolution large{.side = 112, .in = 128, .out = 128};
  EXPECT_LT(on_gpu(large).lower().commands.size(), node_of(large).lower().commands.size());
}

TEST(LowerWinograd, ObeysThePlan) {
  LoweredNode node = node_of({});
  node.plan.kernels.force("winograd2");
  EXPECT_EQ(side_of(node), 2u);
  node.plan.kernels.forbid("winograd2");
  EXPECT_EQ(side_of(node), 4u);
  node.plan.kernels.forbid("winograd4");
  EXPECT_EQ(side_of(node), 0u);
  LoweredNode strided = node_of({.stride = 2});
  strided.plan.kernels.force("winograd4");
  EXPECT_EQ(side_of(strided), 0u);
}

TEST(LowerWinograd, IsNotForWeightsThatRangeWidely) {
  LoweredNode node(Op::conv2d);
  node.plan = node_of({}).plan;
  std::vector<float> weights(64 * 9 * 64, 0.5f);
  weights[64 * 9 + 5] = 1e6f;
  node.input({1, 56, 56, 64}).floats({64, 3, 3, 64}, weights).input({64});
  node.integer(Attr::pad, {1, 1, 1, 1}).output({1, 56, 56, 64});
  EXPECT_EQ(side_of(node), 0u);
}

// Weights of a restored model; only reports need to know their range.
TEST(LowerWinograd, IsTriedWithoutReadingTheWeights) {
  LoweredNode node = node_of({});
  node.plan.max_group_invocations = 256;
  node.plan.max_group_size = {256, 256, 64};
  int reads = 0;
  node.defer(1, reads);
  const auto values = node.values();
  const vulkan::Lowering& rules = *vulkan::lowering(Op::conv2d);
  EXPECT_EQ(node.refusal(), std::nullopt);
  const auto trial = vulkan::trial_commands(node.view(values), rules, node.plan);
  ASSERT_TRUE(trial.ok()) << trial.error().message;
  EXPECT_TRUE(trial.value().dispatches.at(0).dispatch.shader.starts_with("winograd_input_f32_vec4"));
  EXPECT_EQ(reads, 0);
  EXPECT_EQ(vulkan::kernels_of(node.view(values), rules, node.plan).at(0).name, "winograd4");
  EXPECT_EQ(reads, 1);
}

TEST(LowerWinograd, IsNotForShadersThatCompileQuickly) {
  LoweredNode node = node_of({});
  node.plan.shaders = vulkan::Shaders::deferred;
  EXPECT_EQ(node.lower().dispatch().shader, "conv2d_fast_compile_f32_vec4_texels");
}

TEST(LowerWinograd, GoesThroughLargeImagesInSlices) {
  const RecordingSink sink = node_of({.side = 112, .in = 128, .out = 128}).lower();
  const size_t slices = sink.commands.size() / 3;
  EXPECT_GT(slices, 1u);
  ASSERT_EQ(sink.scratches.size(), 2 * slices);
  uint32_t tiles = 0;
  for (size_t i = 0; i < slices; ++i) {
    EXPECT_LE(sink.scratches[2 * i] + sink.scratches[2 * i + 1], size_t{3} << 20);
    EXPECT_EQ(push_word(sink.dispatch(3 * i), 1), tiles);
    tiles += push_word(sink.dispatch(3 * i), 0) / (128 / 4);
  }
  EXPECT_EQ(tiles, 28u * 28);
}

// The last slice is smaller and must not be given the memory of a full one.
TEST(LowerWinograd, ShowsNoDispatchMoreThanAViewShows) {
  LoweredNode node = node_of({.side = 56, .in = 256, .out = 256});
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

// With views of a megabyte, a dispatch covers as many points as fit.
TEST(LowerWinograd, CutsGemmsIntoWhatViewsShow) {
  LoweredNode node = node_of({.side = 14, .in = 256, .out = 256});
  node.plan.max_texels = 65536;
  const RecordingSink sink = node.lower();
  constexpr uint64_t kWeights = 256 * 256 / 4, kPoints = 16 * 256 / 4;  // texels per point
  uint32_t points = 0;
  ASSERT_EQ(sink.commands.size(), 2u + 12);
  for (size_t i = 1; i + 1 < sink.commands.size(); ++i) {
    const vulkan::Dispatch& gemm = sink.dispatch(i);
    EXPECT_EQ(gemm.threads[2], 3u);
    EXPECT_EQ(gemm.slices.at(0), vulkan::Slice{});  // everything fits
    EXPECT_EQ(gemm.slices.at(1), (vulkan::Slice{points * kWeights * 16, 3 * kWeights * 16}));
    constexpr size_t kFirstOfLeft = 14;
    EXPECT_EQ(push_word(gemm, kFirstOfLeft), points * kPoints);
    points += gemm.threads[2];
  }
  EXPECT_EQ(points, 36u);
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
  ASSERT_TRUE(node_of({}).try_lower(sink).ok());
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
