#include "backends/vulkan/device/device_plan.h"

#include "tests/unit/vulkan/device/plain_snapshot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace nnrt::vulkan {
namespace {

constexpr uint32_t kUnified = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                              VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

TEST(DevicePlan, HasTheLoopLimitOfTheDriver) {
  Snapshot snapshot = plain_snapshot(Kind::cpu);
  EXPECT_EQ(plan(snapshot).value().max_loop_iterations, 0u);
  snapshot.max_loop_iterations = 65535;
  EXPECT_EQ(plan(snapshot).value().max_loop_iterations, 65535u);
}

TEST(DevicePlan, NamesDeviceAndDriver) {
  EXPECT_EQ(plan(plain_snapshot(Kind::discrete)).value().name, "Test GPU_Test driver");
}

TEST(DevicePlan, NamesTheDriverOnce) {
  Snapshot snapshot = plain_snapshot(Kind::cpu);
  snapshot.device_name = std::string("LLVMpipe (LLVM 15.0.6)");
  snapshot.driver_name = std::string("llvmpipe");
  EXPECT_EQ(plan(snapshot).value().name, "LLVMpipe (LLVM 15.0.6)");
}

TEST(DevicePlan, NeverTakesTheNameOfAnNpu) {
  Snapshot snapshot = plain_snapshot(Kind::discrete);
  snapshot.device_name = std::string("NPU_X");
  EXPECT_EQ(plan(snapshot).value().name, "GPU_NPU_X_Test driver");
  snapshot.device_name = std::string("HIAI");
  snapshot.driver_name = std::string("F");
  EXPECT_EQ(plan(snapshot).value().name, "GPU_HIAI_F");
}

TEST(DevicePlan, SpecializesShadersForSwiftShader) {
  Snapshot snapshot = plain_snapshot(Kind::cpu);
  EXPECT_FALSE(plan(snapshot).value().pipelines.specialize);
  snapshot.driver_id = VK_DRIVER_ID_GOOGLE_SWIFTSHADER;
  EXPECT_TRUE(plan(snapshot).value().pipelines.specialize);
}

TEST(DevicePlan, OptimizesInBackgroundWithSerialCompilers) {
  Snapshot snapshot = plain_snapshot(Kind::cpu);
  EXPECT_EQ(plan(snapshot).value().shaders, Shaders::optimized);
  snapshot.driver_id = VK_DRIVER_ID_MESA_LLVMPIPE;
  const DevicePlan made = plan(snapshot).value();
  EXPECT_EQ(made.shaders, Shaders::deferred);
  EXPECT_GT(made.pipelines.compile_us, 0);
}

TEST(DevicePlan, WaitsForOptimizedShadersInPerformanceModes) {
  DevicePlan made;
  using enum PerformanceMode;
  for (const Shaders shaders : {Shaders::optimized, Shaders::fast_compile, Shaders::deferred}) {
    made.shaders = shaders;
    for (const PerformanceMode mode : {none, low, medium, high, extreme}) {
      const bool waits = shaders == Shaders::deferred && (mode == high || mode == extreme);
      EXPECT_EQ(shaders_for(made, {.performance = mode}), waits ? Shaders::optimized : shaders);
    }
  }
}

TEST(DevicePlan, KeepsTensorsInFasterDeviceMemory) {
  const auto keeps = [](Kind kind, const char* value) {
    CompileOptions options;
    if (value != nullptr) options.extensions["nnrt.device_local"] = value;
    return uses_residence(plan(plain_snapshot(kind)).value(), options);
  };
  for (const char* const value : {(const char*)nullptr, "auto", "of nobody"}) {
    EXPECT_TRUE(keeps(Kind::discrete, value));
    EXPECT_FALSE(keeps(Kind::integrated, value));
    EXPECT_FALSE(keeps(Kind::cpu, value));
  }
  EXPECT_TRUE(keeps(Kind::integrated, "on"));
  EXPECT_FALSE(keeps(Kind::discrete, "off"));
}

TEST(DevicePlan, OnlyHardwareStoresFp16) {
  EXPECT_FALSE(plan(plain_snapshot(Kind::cpu)).value().fp16_intermediates);
  EXPECT_TRUE(plan(plain_snapshot(Kind::integrated)).value().fp16_intermediates);
}

TEST(DevicePlan, SkipsUselessPipelineCache) {
  Snapshot snapshot = plain_snapshot(Kind::cpu);
  EXPECT_TRUE(plan(snapshot).value().pipelines.cache);
  snapshot.driver_id = VK_DRIVER_ID_GOOGLE_SWIFTSHADER;
  EXPECT_FALSE(plan(snapshot).value().pipelines.cache);
}

TEST(DevicePlan, PrefersTheQueueFamilyWithoutGraphics) {
  Snapshot snapshot = plain_snapshot(Kind::discrete);
  snapshot.queue_families.push_back({VK_QUEUE_TRANSFER_BIT, 2, 64});
  snapshot.queue_families.push_back({VK_QUEUE_COMPUTE_BIT, 8, 64});
  EXPECT_EQ(plan(snapshot).value().queue.family, 2u);
}

TEST(DevicePlan, PrefersTimestampsToAFamilyWithoutGraphics) {
  Snapshot snapshot = plain_snapshot(Kind::discrete);
  snapshot.queue_families.push_back({VK_QUEUE_COMPUTE_BIT, 8, 0});
  EXPECT_EQ(plan(snapshot).value().queue.family, 0u);
}

TEST(DevicePlan, IgnoresTimestampsOfUnknownPeriod) {
  Snapshot snapshot = plain_snapshot(Kind::discrete);
  for (const float period : {0.0f, -1.0f, std::numeric_limits<float>::infinity(), std::nanf("")}) {
    snapshot.timestamp_period = period;
    EXPECT_EQ(plan(snapshot).value().queue.clock.valid_bits, 0u) << period;
  }
  snapshot.timestamp_period = 10;
  EXPECT_EQ(plan(snapshot).value().queue.clock.valid_bits, 64u);
}

TEST(DevicePlan, OnlySoftwareImportsReadOnlyMemory) {
  for (const Kind kind : {Kind::cpu, Kind::integrated, Kind::discrete}) {
    Snapshot snapshot = plain_snapshot(kind);
    snapshot.extensions = {VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME};
    snapshot.import_alignment = 4096;
    EXPECT_EQ(plan(snapshot).value().host.imports_read_only, kind == Kind::cpu);
  }
}

// Queue and priority for a model with these options, in a family of `count` queues.
std::pair<uint32_t, float> queue_of(uint32_t count, Priority priority, PerformanceMode performance) {
  Snapshot snapshot = plain_snapshot(Kind::discrete);
  snapshot.queue_families[0].count = count;
  const DevicePlan made = plan(snapshot).value();
  const uint32_t level = level_for(made, {.performance = performance, .priority = priority});
  const uint32_t queue = level * made.queue.per_level;
  return {queue, made.queue.priorities.at(queue)};
}

TEST(DevicePlan, AssignsQueuesToPriorities) {
  struct Row {
    Priority priority;
    PerformanceMode performance;
    float of_one, of_two, of_many;
  };
  using enum PerformanceMode;
  for (const Row& row : {Row{Priority::low, none, 1, 0.5f, 0},
                         {Priority::medium, none, 1, 0.5f, 0.5f},
                         {Priority::high, none, 1, 1, 1},
                         {Priority::none, none, 1, 0.5f, 0.5f},
                         {Priority::none, low, 1, 0.5f, 0},
                         {Priority::none, medium, 1, 0.5f, 0.5f},
                         {Priority::none, high, 1, 1, 1},
                         {Priority::none, extreme, 1, 1, 1},
                         {Priority::low, extreme, 1, 0.5f, 0},
                         {Priority::high, low, 1, 1, 1}}) {
    EXPECT_EQ(queue_of(1, row.priority, row.performance), std::pair(0u, row.of_one));
    EXPECT_EQ(queue_of(2, row.priority, row.performance).second, row.of_two);
    EXPECT_EQ(queue_of(3, row.priority, row.performance).second, row.of_many);
    EXPECT_EQ(queue_of(16, row.priority, row.performance).second, row.of_many);
  }
}

TEST(DevicePlan, MakesNoMoreQueuesThanTheFamilyHas) {
  for (const auto& [kind, has, made] : {std::tuple(Kind::integrated, 1u, 1u),
                                        {Kind::integrated, 2u, 2u},
                                        {Kind::integrated, 16u, 3u},
                                        {Kind::discrete, 1u, 1u},
                                        {Kind::discrete, 3u, 3u},
                                        {Kind::discrete, 5u, 3u},
                                        {Kind::discrete, 16u, 6u}}) {
    Snapshot snapshot = plain_snapshot(kind);
    snapshot.queue_families[0].count = has;
    EXPECT_EQ(plan(snapshot).value().queue.priorities.size(), made);
  }
}

TEST(DevicePlan, HasTwoQueuesPerPriorityToOverlapCopies) {
  for (const auto& [kind, queues] : {std::pair(Kind::discrete, 2u), {Kind::integrated, 1u}}) {
    Snapshot snapshot = plain_snapshot(kind);
    snapshot.queue_families[0].count = 8;
    const DevicePlan made = plan(snapshot).value();
    EXPECT_EQ(made.queue.per_level, queues);
    EXPECT_EQ(level_for(made, {.priority = Priority::high}), 2u);
  }
}

TEST(DevicePlan, OnlyDiscreteGpusCopyDespiteResizableBar) {
  EXPECT_TRUE(plan(plain_snapshot(Kind::cpu)).value().host.binds);
  EXPECT_TRUE(plan(plain_snapshot(Kind::integrated)).value().host.binds);
  Snapshot snapshot = plain_snapshot(Kind::discrete);
  snapshot.memory_types = {{kUnified, 0}};
  EXPECT_FALSE(plan(snapshot).value().host.binds);
}

TEST(DevicePlan, VirtualGpuWithUnifiedHeapBindsHostMemory) {
  Snapshot snapshot = plain_snapshot(Kind::virtual_gpu);
  snapshot.heap_bytes = {uint64_t{256} << 20, uint64_t{8} << 30};
  snapshot.memory_types = {{kUnified, 0}, {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 1}};
  EXPECT_FALSE(plan(snapshot).value().host.binds);
  snapshot.memory_types.push_back({kUnified, 1});
  EXPECT_TRUE(plan(snapshot).value().host.binds);
}

TEST(DevicePlan, BindsSmallTensorsOnDiscreteGpus) {
  EXPECT_GT(plan(plain_snapshot(Kind::discrete)).value().host.direct.written, 0u);
  EXPECT_EQ(plan(plain_snapshot(Kind::integrated)).value().host.direct.written, 0u);
}

TEST(DevicePlan, SpinsOnlyBesideADeviceOfItsOwn) {
  EXPECT_GT(plan(plain_snapshot(Kind::discrete)).value().queue.spin_us, 0);
  EXPECT_GT(plan(plain_snapshot(Kind::integrated)).value().queue.spin_us, 0);
  EXPECT_EQ(plan(plain_snapshot(Kind::cpu)).value().queue.spin_us, 0);
}

TEST(DevicePlan, ImportsHostMemoryIfSupported) {
  Snapshot snapshot = plain_snapshot(Kind::cpu);
  EXPECT_FALSE(plan(snapshot).value().host.imports);
  snapshot.extensions = {"VK_EXT_external_memory_host"};
  snapshot.import_alignment = 4096;
  const DevicePlan made = plan(snapshot).value();
  EXPECT_TRUE(made.host.imports);
  EXPECT_EQ(made.host.alignment, 4096u);
  ASSERT_EQ(made.extensions.size(), 1u);
  EXPECT_STREQ(made.extensions[0], "VK_EXT_external_memory_host");
}

TEST(DevicePlan, EnablesPortabilitySubsetIfSupported) {
  Snapshot snapshot = plain_snapshot(Kind::integrated);
  snapshot.extensions = {"VK_KHR_portability_subset"};
  ASSERT_EQ(plan(snapshot).value().extensions.size(), 1u);
}

TEST(DevicePlan, LimitsBoundBytes) {
  Snapshot snapshot = plain_snapshot(Kind::cpu);
  snapshot.max_storage_range = 0xffffffff;
  snapshot.max_allocation = 0x40000002;
  EXPECT_EQ(plan(snapshot).value().max_storage_range, 0x40000000u);
}

TEST(DevicePlan, RefusesADeviceThatLacksWhatItNeeds) {
  const auto refusal = [](void (*change)(Snapshot&)) {
    Snapshot snapshot = plain_snapshot(Kind::discrete);
    change(snapshot);
    return plan(snapshot).error().message;
  };
  EXPECT_EQ(refusal([](Snapshot& s) { s.api_version = VK_API_VERSION_1_1; }),
            "Test GPU cannot be used: It is older than Vulkan 1.2.");
  EXPECT_EQ(refusal([](Snapshot& s) { s.timeline_semaphore = false; }),
            "Test GPU cannot be used: It has no timeline semaphores.");
  EXPECT_EQ(refusal([](Snapshot& s) { s.queue_families[0].flags = VK_QUEUE_GRAPHICS_BIT; }),
            "Test GPU cannot be used: It has no compute queue.");
  EXPECT_EQ(refusal([](Snapshot& s) { s.max_group_invocations = 64; }),
            "Test GPU cannot be used: Its workgroups (64) are smaller than 128 invocations.");
}

}  // namespace
}  // namespace nnrt::vulkan
