// Measures the memory of a model's weights when only the executors' state remains.
#include "backends/cpu/engine/cpu_device.h"
#include "core/passes/drop_weights.h"
#include "core/runtime/compile.h"
#include "core/runtime/execution.h"
#include "tests/device/device_fixture.h"
#include "tests/support/graph_maker.h"
#include "tests/support/process_resources.h"
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
  std::vector<TensorView> outputs{view_of<float>({kRows, size}, std::vector<float>(size_t(kRows * size), 0))};
  Execution execution(executable);
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(execution.run(inputs, outputs, {}).ok());
  EXPECT_FLOAT_EQ(values_of<float>(outputs[0])[size_t(size)], 0.5f * float(size) + 1);
  bytes = double(api_tests::held().resident);
}

void expect_held_once(Device& device, Device* fallback) {
  if (api_tests::kKeepsFreedMemory) GTEST_SKIP() << "Sanitizers keep memory that was freed.";
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
  if (api_tests::kKeepsFreedMemory) GTEST_SKIP() << "Sanitizers keep memory that was freed.";
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

// Into shared memory, and through staging memory of 32 MiB.
TEST(Weights, OfALargeTensorArePackedDuringTheirUpload) {
  constexpr int64_t kSize = 5000;
  const auto cpu = cpu::make_device();
  const GraphPtr graph = product_of(kSize);
  const auto run_on = [&](Device& device, Device* fallback) {
    const auto model = compile(graph, device, fallback, {}).value();
    std::vector<float> x(size_t(kRows * kSize));
    for (size_t i = 0; i < x.size(); ++i) x[i] = float(i % 7) - 3;
    const TensorView in = view_of<float>({kRows, kSize}, x);
    TensorView out = view_of<float>({kRows, kSize}, std::vector<float>(x.size()));
    EXPECT_TRUE(Execution(model).run({&in, 1}, {&out, 1}, {}).ok());
    return values_of<float>(out);
  };
  const std::vector<float> want = run_on(*cpu, nullptr);
  for (const bool is_shared : {true, false}) {
    SCOPED_TRACE(is_shared);
    vulkan::DevicePlan plan = first_plan();
    plan.bind_host_memory = is_shared;
    const auto gpu = make_device(plan);
    static_cast<void>(compile(products_of(64, 1), *gpu, cpu.get(), {}));  // loads the driver
    const double before = double(api_tests::held().resident);
    api_tests::forget_peak();
    ASSERT_TRUE(compile(graph, *gpu, cpu.get(), {}).ok());
    const double weights = double(kSize * kSize) * sizeof(float);
    const double added = double(api_tests::peak_resident()) - before;
    EXPECT_TRUE(api_tests::kKeepsFreedMemory || added < 1.5 * weights) << added / weights;
    EXPECT_EQ(run_on(*gpu, cpu.get()), want);
  }
}

}  // namespace
}  // namespace nnrt::test
