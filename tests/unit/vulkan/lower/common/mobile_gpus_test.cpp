// What is planned on Arm's and Qualcomm's GPUs: small register tiles or small shared tiles, workgroups that
// fill their subgroups, strips and transforms that their registers hold.
#include "tests/unit/vulkan/lower/common/mobile_gpus.h"

#include "backends/vulkan/device/cores.h"
#include "tests/support/lowered_node.h"

namespace nnrt::test {
namespace {

using vulkan::Dispatch;
using vulkan::Snapshot;

LoweredNode on(const Snapshot& gpu, Op op) {
  LoweredNode node(op);
  node.plan = vulkan::plan(gpu).value();
  return node;
}

RecordingSink product(const Snapshot& gpu, bool in_fp16 = false) {
  LoweredNode node = on(gpu, Op::matmul);
  const DType dtype = in_fp16 ? DType::f16 : DType::f32;
  node.input({196, 576}, dtype).input({576, 192}, dtype).output({196, 192}, dtype);
  if (in_fp16) node.rename(0, "a as fp16").rename(1, "b as fp16");
  return node.lower();
}

RecordingSink convolution(const Snapshot& gpu, int64_t side, int64_t kernel, int64_t channels) {
  LoweredNode node = on(gpu, Op::conv2d);
  const std::vector<float> weights(size_t(channels * kernel * kernel * channels), 0.5f);
  node.input({1, side, side, channels})
      .floats({channels, kernel, kernel, channels}, weights)
      .input({channels});
  const double around = double(kernel / 2);
  node.integer(Attr::pad, {around, around, around, around});
  return node.output({1, side, side, channels}).lower();
}

Dispatch depthwise(const Snapshot& gpu, int64_t kernel, int64_t stride) {
  LoweredNode node = on(gpu, Op::depthwise_conv2d_native);
  const int64_t side = 112, out = side / stride, channels = 96;
  node.input({1, side, side, channels}).input({channels, kernel, kernel, 1}).input({channels});
  const double around = double(kernel / 2);
  node.integer(Attr::pad, {around, around, around, around});
  node.integer(Attr::stride, {double(stride), double(stride)});
  const RecordingSink sink = node.output({1, out, out, channels}).lower();
  return sink.dispatch(sink.commands.size() - 1);
}

// Pixels per invocation, and whether a strip has one row.
std::pair<uint32_t, bool> strip(const Snapshot& gpu, int64_t kernel, int64_t stride) {
  const Dispatch dispatch = depthwise(gpu, kernel, stride);
  EXPECT_TRUE(dispatch.shader.starts_with("depthwise_rows")) << dispatch.shader;
  return {dispatch.constants.end()[-2], dispatch.constants.back() != 0};
}

TEST(MobileGpus, MultiplyOnMaliWithoutSharedMemory) {
  for (const Snapshot& gpu : {mali_g78(), mali_g610()}) {
    const RecordingSink sink = product(gpu);
    const Dispatch& tiles = sink.dispatch(sink.commands.size() - 1);
    EXPECT_EQ(tiles.shader, "matmul_f32_vec4_small");
    EXPECT_EQ(tiles.threads[0], (196u / 4) * (192u / 16) * 2);
    EXPECT_EQ(tiles.local[0], 32u);
    const RecordingSink convolved = convolution(gpu, 28, 5, 64);
    EXPECT_EQ(convolved.dispatch(convolved.commands.size() - 1).shader, "conv2d_f32_vec4_small");
  }
}

TEST(MobileGpus, AdrenoUsesSmallTiles) {
  for (const Snapshot& gpu : {adreno_650(), adreno_740()}) {
    const RecordingSink sink = product(gpu);
    const Dispatch& tiles = sink.dispatch(sink.commands.size() - 1);
    EXPECT_EQ(tiles.shader, "matmul_shared_memory_f32_vec4");
    EXPECT_EQ(tiles.local[0], 64u);
  }
}

TEST(MobileGpus, MultiplyInFp16IfAllowed) {
  const auto shader = [](const Snapshot& gpu) {
    const RecordingSink sink = product(gpu, true);
    return sink.dispatch(sink.commands.size() - 1).shader;
  };
  EXPECT_EQ(shader(mali_g610()), "matmul_f32_vec4_small_half");
  EXPECT_EQ(shader(adreno_740()), "matmul_shared_memory_f32_vec4_half");
  Snapshot without = mali_g610();
  without.shader_float16 = false;
  EXPECT_EQ(shader(without), "matmul_f32_vec4_small");
}

TEST(MobileGpus, MultiplyTheClientsFp16InFloat) {
  LoweredNode node = on(mali_g610(), Op::matmul);
  node.input({196, 576}, DType::f16).input({576, 192}, DType::f16).output({196, 192}, DType::f16);
  const RecordingSink sink = node.lower();
  EXPECT_EQ(sink.dispatch(sink.commands.size() - 1).shader, "matmul_f32_vec4_small");
}

TEST(MobileGpus, HaveTransformsAndStripsThatTheirRegistersHold) {
  using Strip = std::pair<uint32_t, bool>;
  EXPECT_EQ(strip(mali_g610(), 3, 1), Strip(4, true));
  EXPECT_EQ(strip(mali_g610(), 3, 2), Strip(2, true));
  EXPECT_EQ(strip(adreno_740(), 3, 1), Strip(4, true));
  for (const Snapshot& gpu : {mali_g610(), adreno_740()})
    for (const int64_t stride : {1, 2})
      EXPECT_FALSE(depthwise(gpu, 5, stride).shader.starts_with("depthwise_rows"));
  for (const Snapshot& gpu : {mali_g78(), mali_g610()}) {
    const RecordingSink sink = convolution(gpu, 56, 3, 64);
    EXPECT_EQ(sink.dispatch(sink.commands.size() - 1).shader, "conv2d_f32_vec4_small");
  }
  for (const Snapshot& gpu : {adreno_650(), adreno_740()}) {
    const Dispatch transform = convolution(gpu, 56, 3, 64).dispatch();
    EXPECT_EQ(transform.shader, "winograd_input_f32_vec4");
    EXPECT_EQ(transform.constants[0], 2u);
  }
}

TEST(MobileGpus, FillTheirSubgroups) {
  const auto group = [](const Snapshot& gpu) { return vulkan::plan(gpu).value().full_group; };
  EXPECT_EQ(group(mali_g610()), 32u);
  EXPECT_EQ(group(adreno_740()), 64u);
  Snapshot fixed = adreno_650();
  fixed.min_subgroup_size = fixed.max_subgroup_size = 0;  // without subgroup size control
  EXPECT_EQ(group(fixed), 128u);
  LoweredNode few = on(adreno_740(), Op::attention);
  few.input({1, 2, 16, 64}).input({1, 2, 77, 64}).input({1, 2, 77, 64}).output({1, 2, 16, 64});
  EXPECT_EQ(few.lower().dispatch().local[0], 64u);
}

TEST(MobileGpus, AvoidSlowSharedMemoryInAttention) {
  const auto lowered = [](const Snapshot& gpu, int64_t keys, int64_t heads = 8, int64_t size = 64) {
    LoweredNode node = on(gpu, Op::attention);
    const Shape key{1, 2, keys, size};
    node.input({1, heads, 1, size}).input(key).input(key).output({1, heads, 1, size});
    return node.lower();
  };
  const RecordingSink few = lowered(mali_g610(), 200);
  EXPECT_EQ(few.dispatch().shader, "attention_registers_f32_vec4");
  EXPECT_EQ(few.dispatch().local[0], 64u);
  EXPECT_EQ(few.dispatch().constants[0], 4u);                                // rows
  EXPECT_EQ(few.dispatch().constants[4], 16u);                               // invocations that share them
  EXPECT_EQ(few.dispatch().constants[5], 1u);                                // value vectors of each
  EXPECT_EQ(lowered(mali_g610(), 200, 8, 128).dispatch().constants[5], 1u);  // two of four rows would spill
  EXPECT_EQ(lowered(mali_g610(), 200, 2, 128).dispatch().constants[5], 2u);
  EXPECT_EQ(lowered(mali_g610(), 4096).dispatch().shader, "attention_registers_f32_vec4_split");
  EXPECT_EQ(lowered(adreno_740(), 200).dispatch().shader, "attention_decode_f32_vec4");
  Snapshot without = mali_g610();
  without.shuffles = false;
  EXPECT_EQ(lowered(without, 200).dispatch().shader, "attention_decode_f32_vec4");
}

TEST(MobileGpus, KnowTheirCores) {
  EXPECT_EQ(vulkan::cores_of(mali_g78()), 14u);
  EXPECT_EQ(vulkan::cores_of(adreno_650()), 3u);
  EXPECT_EQ(vulkan::cores_of(adreno_740()), 6u);
  EXPECT_EQ(vulkan::cores_of(mali("Mali-G610 MC6", 1024, 0)), 6u);
  EXPECT_EQ(vulkan::cores_of(mali("Mali-G72 MP12", 384, 0)), 12u);
  EXPECT_EQ(vulkan::cores_of(mali("Mali-G310", 512, 0)), 2u);
  EXPECT_EQ(vulkan::cores_of(mali("Mali-G57", 512, 0)), 3u);
  EXPECT_EQ(vulkan::cores_of(mali("Mali-X99", 512, 0)), 6u);
}

}  // namespace
}  // namespace nnrt::test
