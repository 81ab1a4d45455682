// Models that start with fast-compile shaders and change to optimized ones in the background.
#include "tests/device/device_fixture.h"
#include "tests/support/page_aligned_bytes.h"
#include "tests/support/random/random.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

namespace nnrt::test {
namespace {

using std::chrono::seconds;

std::vector<float> draw(size_t count, uint32_t seed) {
  Random random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = float(int(random.below(2001)) - 1000) / 1000;
  return values;
}

constexpr int64_t kChannels = 64;

// Long sums, which a tile adds in another order.
GraphPtr network() {
  GraphMaker maker;
  const TensorId x = maker.input({1, 9, 9, kChannels}, DType::f32, Format::nhwc);
  const TensorId weight = maker.floats({kChannels, 3, 3, kChannels}, draw(kChannels * kChannels * 9, 1));
  const TensorId bias = maker.floats({kChannels}, draw(kChannels, 2));
  const TensorId y =
      maker.op(Op::conv2d, {x, weight, bias}, {1, 7, 7, kChannels}, {}, DType::f32, Format::nhwc);
  return normalize(maker.finish({maker.op(Op::sigmoid, {y}, {1, 7, 7, kChannels})}));
}

TensorView network_input() { return view_of<float>({1, 9, 9, kChannels}, draw(size_t(81 * kChannels), 3)); }

std::shared_ptr<vulkan::VulkanDevice> device_of(vulkan::Shaders shaders, double compile_us = 0) {
  vulkan::DevicePlan plan = first_plan();
  plan.shaders = shaders;
  plan.pipelines.compile_us = compile_us;
  return make_device(plan);
}

std::vector<float> results_of(vulkan::Shaders shaders) {
  const auto device = device_of(shaders);
  return floats_of(*prepare(*device, network()), {network_input()});
}

// Runs until the results match; false after a minute.
bool comes_to(PreparedModel& model, const TensorView& input, const std::vector<float>& wanted) {
  const auto end = Clock::now() + seconds(60);
  while (Clock::now() < end) {
    if (floats_of(model, {input}) == wanted) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

TEST(Tuning, FastCompileShadersMatchUpToRounding) {
  const std::vector<float> fast_compile = results_of(vulkan::Shaders::fast_compile);
  const std::vector<float> optimized = results_of(vulkan::Shaders::optimized);
  ASSERT_EQ(fast_compile.size(), optimized.size());
  EXPECT_NE(fast_compile, optimized);  // needed to distinguish them below
  for (size_t i = 0; i < fast_compile.size(); ++i) EXPECT_NEAR(fast_compile[i], optimized[i], 1e-4f);
}

TEST(Tuning, ComesOnceRunsHaveTakenLongEnough) {
  const auto device = device_of(vulkan::Shaders::deferred, 0);
  const auto model = prepare(*device, network());
  const TensorView input = network_input();
  EXPECT_EQ(floats_of(*model, {input}), results_of(vulkan::Shaders::fast_compile));
  EXPECT_TRUE(comes_to(*model, input, results_of(vulkan::Shaders::optimized)));
}

TEST(Tuning, IsSparedAModelWithoutFastCompileShaders) {
  const auto device = device_of(vulkan::Shaders::deferred, 0);
  GraphMaker maker;
  const TensorId x = maker.input({3});
  const auto model = prepare(*device, normalize(maker.finish({maker.op(Op::relu, {x}, {3})})));
  const size_t pipelines = device->context().value()->pipelines().size();
  for (int run = 0; run < 3; ++run) floats_of(*model, {view_of<float>({3}, {1, -2, 3})});
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_EQ(device->context().value()->pipelines().size(), pipelines);
}

TEST(Tuning, SkipsSingleRun) {
  const auto device = device_of(vulkan::Shaders::deferred, 0);
  const auto model = prepare(*device, network());
  const std::vector<float> fast_compile = results_of(vulkan::Shaders::fast_compile);
  EXPECT_EQ(floats_of(*model, {network_input()}), fast_compile);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_EQ(floats_of(*model, {network_input()}), fast_compile);
}

TEST(Tuning, DoesNotComeBefore) {
  const auto device = device_of(vulkan::Shaders::deferred, 3600e6);
  const auto model = prepare(*device, network());
  const size_t pipelines = device->context().value()->pipelines().size();
  const std::vector<float> fast_compile = results_of(vulkan::Shaders::fast_compile);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(floats_of(*model, {network_input()}), fast_compile);
  EXPECT_EQ(device->context().value()->pipelines().size(), pipelines);
}

TEST(Tuning, RunsInBuildForPerformanceModes) {
  const auto device = device_of(vulkan::Shaders::deferred, 3600e6);
  const auto model = prepare(*device, network(), {.performance = PerformanceMode::extreme});
  EXPECT_EQ(floats_of(*model, {network_input()}), results_of(vulkan::Shaders::optimized));
}

TEST(Tuning, NeverDisturbsRunsOfSeveralThreads) {
  const auto device = device_of(vulkan::Shaders::deferred, 0);
  const auto model = prepare(*device, network());
  const std::vector<float> fast_compile = results_of(vulkan::Shaders::fast_compile);
  const std::vector<float> optimized = results_of(vulkan::Shaders::optimized);
  std::atomic<int> wrong = 0, behind = 0;
  const auto end = Clock::now() + seconds(60);
  const auto run_many = [&] {
    const TensorView input = network_input();
    for (int after = 0; after < 5 && Clock::now() < end;) {
      const std::vector<float> result = floats_of(*model, {input});
      if (result == optimized) {
        ++after;
      } else if (result != fast_compile) {
        ++wrong;
      } else if (after > 0) {
        ++behind;
      }
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i) threads.emplace_back(run_many);
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(behind, 0);
  EXPECT_EQ(floats_of(*model, {network_input()}), optimized);
}

TEST(Tuning, EndsWithItsModel) {
  const auto device = device_of(vulkan::Shaders::deferred, 0);
  for (int i = 0; i < 3; ++i) {
    const auto model = prepare(*device, network());
    for (int run = 0; run < 2; ++run) floats_of(*model, {network_input()});
  }
}

TEST(Tuning, ChangesOverForEachShapeOfItsInputs) {
  GraphMaker maker;
  const TensorId x = maker.input({-1, 512});
  const TensorId weight = maker.floats({32, 512}, draw(32 * 512, 4));
  const TensorId bias = maker.floats({32}, draw(32, 5));
  const GraphPtr graph =
      normalize(maker.finish({maker.op(Op::full_connection, {x, weight, bias}, {-1, 32})}));
  const auto later = device_of(vulkan::Shaders::deferred, 0),
             optimized = device_of(vulkan::Shaders::optimized);
  const auto model = prepare(*later, graph), wanted = prepare(*optimized, graph);
  for (const int64_t rows : {8, 24, 8}) {
    const TensorView input = view_of<float>({rows, 512}, draw(size_t(rows * 512), 6));
    EXPECT_TRUE(comes_to(*model, input, floats_of(*wanted, {input}))) << rows;
  }
}

TEST(Tuning, DoesNotAffectCaches) {
  const auto device = device_of(vulkan::Shaders::deferred, 0);
  const GraphPtr graph = network();
  const auto model = prepare(*device, graph);
  const Bytes saved = model->export_cache(graph).value();
  ASSERT_TRUE(comes_to(*model, network_input(), results_of(vulkan::Shaders::optimized)));
  EXPECT_TRUE(model->export_cache(graph).value() == saved);
}

TEST(Tuning, ComesToRestoredModelsAsToOthers) {
  const auto device = device_of(vulkan::Shaders::deferred, 0);
  const GraphPtr graph = network();
  const Bytes saved = prepare(*device, graph)->export_cache(graph).value();
  const auto restored = device->restore(graph, {}, in_pages(saved)).value();
  EXPECT_EQ(floats_of(*restored, {network_input()}), results_of(vulkan::Shaders::fast_compile));
  EXPECT_TRUE(comes_to(*restored, network_input(), results_of(vulkan::Shaders::optimized)));
  EXPECT_TRUE(restored->export_cache(graph).value() == saved);
}

// Constants packed for fast-compile shaders don't fit optimized ones, and vice versa.
TEST(Tuning, TunesRestoredModelsInBuildForPerformanceModes) {
  const auto device = device_of(vulkan::Shaders::deferred, 3600e6);
  const GraphPtr graph = network();
  const CompileOptions plain, fast{.performance = PerformanceMode::extreme};
  const Bytes fast_compile = prepare(*device, graph, plain)->export_cache(graph).value();
  const Bytes optimized = prepare(*device, graph, fast)->export_cache(graph).value();
  EXPECT_EQ(floats_of(*device->restore(graph, fast, in_pages(fast_compile)).value(), {network_input()}),
            results_of(vulkan::Shaders::optimized));
  EXPECT_EQ(floats_of(*device->restore(graph, plain, in_pages(optimized)).value(), {network_input()}),
            results_of(vulkan::Shaders::fast_compile));
}

void exit_while_optimizing() {
  const auto device = device_of(vulkan::Shaders::deferred, 0);
  static PreparedModel* const never_destroyed = prepare(*device, network()).release();
  for (int run = 0; run < 2; ++run) floats_of(*never_destroyed, {network_input()});
  std::exit(0);
}

TEST(TuningDeathTest, DoesNotKeepTheProcessFromEnding) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(exit_while_optimizing(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace nnrt::test
