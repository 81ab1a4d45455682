// Measures the memory of a model's weights when only the executors' state remains.
#include "backends/cpu/engine/cpu_device.h"
#include "backends/vulkan/runtime/vulkan_kernel_names.h"
#include "core/passes/drop_weights.h"
#include "core/runtime/compile.h"
#include "core/runtime/execution.h"
#include "tests/device/device_fixture.h"
#include "tests/support/graph_maker.h"
#include "tests/support/process_resources.h"
#include "tests/support/sanitized.h"
#include "tests/support/tensor_views.h"

namespace nnrt::test {
namespace {

constexpr int64_t kRows = 64;

// A GEMM with equal weights per column: y = x w, which for ones is the sum of a column.
GraphPtr product_of(int64_t size) {
  GraphMaker maker;
  const TensorId x = maker.input({kRows, size});
  const TensorId weight = maker.floats({size, size}, std::vector<float>(size_t(size * size), 0.5f));
  const TensorId bias = maker.floats({size}, std::vector<float>(size_t(size), 1));
  return maker.finish({maker.op(Op::full_connection, {x, weight, bias}, {kRows, size})});
}

// Measures a model after a run, with everything but the executors' shared state destroyed.
void run(Device& device, Device* fallback, int64_t size, double& bytes) {
  const auto executable = [&] {
    const GraphPtr graph = product_of(size);
    return compile(graph, device, fallback, {}).value()->for_runs().value();
  }();
  trim_heap(size_t(size * size) * sizeof(float));
  const std::vector<TensorView> inputs{
      view_of<float>({kRows, size}, std::vector<float>(size_t(kRows * size), 1))};
  std::vector<OutputSlot> outputs{
      {view_of<float>({kRows, size}, std::vector<float>(size_t(kRows * size), 0))}};
  Execution execution(executable);
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(execution.run(inputs, outputs, {}).ok());
  EXPECT_FLOAT_EQ(values_of<float>(outputs[0].view)[size_t(size)], 0.5f * float(size) + 1);
  bytes = double(api_tests::held().resident);
}

void expect_held_once(Device& device, Device* fallback) {
  if (kSanitized) GTEST_SKIP() << "Sanitizers keep memory that was freed.";
  constexpr int64_t kSmall = 512, kLarge = 5120;
  double small = 0, large = 0;
  run(device, fallback, kSmall, small);
  run(device, fallback, kLarge, large);
  const double weights = double(kLarge * kLarge) * sizeof(float);
  const double tensors = 2.0 * kRows * kLarge * sizeof(float);
  EXPECT_LT(large - small - tensors, 1.2 * weights);
  EXPECT_GT(large - small, 0.9 * weights);  // otherwise this measures something else
}

TEST(Weights, AreHeldOnceByTheGpu) {
  const auto gpu = make_device();
  const auto cpu = cpu::make_device();
  expect_held_once(*gpu, cpu.get());
}

TEST(Weights, AreHeldOnceByTheCpu) {
  const auto cpu = cpu::make_device();
  expect_held_once(*cpu, nullptr);
}

// Products in a row with different weights.
GraphPtr products_of(int64_t size, int count) {
  GraphMaker maker;
  TensorId y = maker.input({kRows, size});
  for (int i = 0; i < count; ++i) {
    const TensorId weight =
        maker.floats({size, size}, std::vector<float>(size_t(size * size), 0.001f * float(i)));
    const TensorId bias = maker.floats({size}, std::vector<float>(size_t(size), 1));
    y = maker.op(Op::full_connection, {y, weight, bias}, {kRows, size});
  }
  return maker.finish({y});
}

// Drivers on the CPU keep the device's weights in host memory.
TEST(Weights, ArePackedAndUploadedInParts) {
  if (kSanitized) GTEST_SKIP() << "Sanitizers keep memory that was freed.";
  constexpr int64_t kSize = 2048;
  constexpr int kCount = 20;
  const auto gpu = make_device();
  const auto cpu = cpu::make_device();
  static_cast<void>(compile(products_of(64, 1), *gpu, cpu.get(), {}));  // loads the driver
  const GraphPtr graph = products_of(kSize, kCount);
  const double before = double(api_tests::held().resident);
  api_tests::forget_peak();
  const auto compiled = compile(graph, *gpu, cpu.get(), {});
  ASSERT_TRUE(compiled.ok()) << compiled.error().message;
  const double weights = double(kSize * kSize) * kCount * sizeof(float);
  EXPECT_LT(double(api_tests::peak_resident()) - before, 1.5 * weights);
}

// Runs `graph` with small integers as its input.
std::vector<float> results_on(const GraphPtr& graph, Device& device, Device* fallback) {
  const auto model = compile(graph, device, fallback, {}).value();
  const Shape &in_shape = graph->shapes[graph->inputs[0]], out_shape = graph->shapes[graph->outputs[0]];
  std::vector<float> x(size_t(*element_count(in_shape)));
  for (size_t i = 0; i < x.size(); ++i) x[i] = float(i % 7) - 3;
  const TensorView in = view_of<float>(in_shape, x);
  OutputSlot out{view_of<float>(out_shape, std::vector<float>(size_t(*element_count(out_shape))))};
  EXPECT_TRUE(Execution(model).run({&in, 1}, {&out, 1}, {}).ok());
  return values_of<float>(out.view);
}

// Into shared memory, and through staging memory of 32 MiB. `growth` is the limit of the memory that is added
// until the model is compiled.
void expect_packed_in_parts(const GraphPtr& graph, const std::string& kernels, double growth,
                            float tolerance) {
  const auto cpu = cpu::make_device();
  const std::vector<float> want = results_on(graph, *cpu, nullptr);
  for (const bool is_shared : {true, false}) {
    SCOPED_TRACE(is_shared);
    vulkan::DevicePlan plan = first_plan();
    plan.host.binds = is_shared;
    plan.kernels = parse_kernel_switch("test", kernels, vulkan::kernel_names());
    const auto gpu = make_device(plan);
    static_cast<void>(compile(products_of(64, 1), *gpu, cpu.get(), {}));  // loads the driver
    const double before = double(api_tests::held().resident);
    api_tests::forget_peak();
    ASSERT_TRUE(compile(graph, *gpu, cpu.get(), {}).ok());
    const double added = double(api_tests::peak_resident()) - before;
    EXPECT_TRUE(kSanitized || added < growth) << added / growth;
    const std::vector<float> got = results_on(graph, *gpu, cpu.get());
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], want[i], tolerance) << i;
  }
}

TEST(Weights, PackDuringUpload) {
  constexpr int64_t kSize = 5000;
  expect_packed_in_parts(product_of(kSize), "", 1.5 * double(kSize * kSize) * sizeof(float), 0);
}

// The transformed weights are four times the originals.
TEST(Weights, OfWinogradsTilesAreTransformedDuringTheirUpload) {
  constexpr int64_t kChannels = 768, kSide = 8;
  GraphMaker maker;
  const Shape image{1, kSide, kSide, kChannels};
  const size_t count = size_t(kChannels) * 9 * kChannels;
  const TensorId x = maker.input(image, DType::f32, Format::nhwc);
  std::vector<float> weights(count);
  for (size_t i = 0; i < count; ++i) weights[i] = 0.01f * (float(i * 31 % 13) - 6);
  const TensorId weight = maker.floats({kChannels, 3, 3, kChannels}, weights);
  const TensorId bias = maker.floats({kChannels}, std::vector<float>(kChannels, 1));
  const TensorId pad_mode = maker.parameter<int8_t>(14, DType::i8, {0});
  const TensorId y = maker.op(Op::conv2d, {x, weight, bias}, image, {pad_mode}, DType::f32, Format::nhwc);
  // All of them, the originals for direct sums, and staging memory
  const double held = (4 + 1) * double(count) * sizeof(float) + 2.0 * (32 << 20);
  expect_packed_in_parts(normalize(maker.finish({y})), "+winograd4", held, 1e-3f);
}

}  // namespace
}  // namespace nnrt::test
