// Infinite, NaN or huge elements affect only the results that read them, for each kernel.
#include "tests/device/device_fixture.h"
#include "tests/device/windowed_network.h"

#include <algorithm>

namespace nnrt::test {
namespace {

TEST(Spread, NoKernelSpreadsAnElement) {
  for (const char* kernels :
       {"", "+winograd4", "+winograd2", "+texel_buffer,-subgroup_tile",
        "-texel_buffer,+gemm,+depthwise,+shared_memory_tile,+gemv_by_group,+gemv_by_subgroups",
        "-subgroup_tile,-texel_buffer,-shared_memory_tile"}) {
    SCOPED_TRACE(kernels);
    expect_no_spread(*shared_device(kernels));
  }
}

TEST(Spread, KernelsContainNonFiniteElements) {
  vulkan::DevicePlan gpu = plan_with("+winograd4");
  gpu.is_software = false;
  expect_no_spread(*make_device(gpu));
  vulkan::DevicePlan fast_compile = first_plan();
  fast_compile.shaders = vulkan::Shaders::fast_compile;
  expect_no_spread(*make_device(fast_compile));
}

TEST(Spread, NoKernelSpreadsAWeight) {
  for (const char* kernels : {"", "+winograd4", "+winograd2"}) {
    SCOPED_TRACE(kernels);
    const auto results = [&](float weight) {
      const WindowedNetwork network(weight);
      return network.run(*shared_device(kernels)->prepare(network.graph(), {}).value());
    };
    const auto base = results(0.5f), changed = results(8 + 0.5f);
    for (const float spoiled : {1e30f, -1e6f}) {
      SCOPED_TRACE(spoiled);
      expect_only_readers_differ(WindowedNetwork(), results(spoiled), base, changed, spoiled);
    }
  }
}

// Padding zeros would turn them into NaN.
TEST(Spread, DeclinesNonFiniteWeights) {
  const WindowedNetwork network(std::numeric_limits<float>::infinity());
  const auto refusals = refusals_of(*make_device(), *network.graph(), {});
  size_t refused = 0;
  for (size_t i = 0; i < refusals.size(); ++i) {
    const Op op = network.graph()->nodes[i].op;
    const bool pads = op == Op::conv2d || op == Op::depthwise_conv2d_native || op == Op::conv2d_transpose;
    EXPECT_EQ(refusals[i].has_value(), pads) << i;
    refused += pads;
  }
  EXPECT_GT(refused, 10u);
}

}  // namespace
}  // namespace nnrt::test
