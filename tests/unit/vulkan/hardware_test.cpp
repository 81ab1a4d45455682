#include "backends/vulkan/hardware.h"

#include "backends/vulkan/device_plan.h"
#include "backends/vulkan/facts.h"

#include <gtest/gtest.h>
#include <vulkan/vulkan.h>

#include <algorithm>

namespace nnrt::vulkan {
namespace {

// A Vulkan 1.2 device of some years ago.
Snapshot old_gpu() {
  Snapshot s;
  s.device_name = std::string("Old GPU");
  s.driver_name = std::string("driver");
  s.api_version = VK_API_VERSION_1_2;
  s.kind = Kind::discrete;
  s.queue_families = {{VK_QUEUE_COMPUTE_BIT, 1, 64}};
  s.heap_bytes = {uint64_t{2} << 30};
  s.max_group_invocations = 1024;
  s.max_group_size = {1024, 1024, 64};
  s.max_group_count = {65535, 65535, 65535};
  s.max_shared_bytes = 49152;
  s.max_push_bytes = 128;
  s.max_storage_range = 1 << 30;
  s.timeline_semaphore = true;
  s.subgroup_size = 32;
  return s;
}

Snapshot mali() {
  Snapshot s = old_gpu();
  s.device_name = std::string("Mali");
  s.kind = Kind::integrated;
  s.max_shared_bytes = 32768;
  s.subgroup_size = 16;
  s.storage_16bit = s.storage_8bit = s.shader_float16 = s.shader_int8 = true;
  s.packed_dots = s.fast_packed_dots = true;
  s.vulkan_memory_model = true;
  return s;
}

Snapshot h100() {
  Snapshot s = old_gpu();
  s.device_name = std::string("H100");
  s.storage_16bit = s.storage_8bit = s.shader_float16 = s.shader_int8 = true;
  s.packed_dots = s.fast_packed_dots = true;
  s.vulkan_memory_model = s.cooperative_matrix = true;
  s.matrix_shapes = {{16, 8, 8}, {16, 8, 16}, {16, 16, 16}};
  return s;
}

std::string refusal(const Snapshot& snapshot, std::string_view name) {
  return refusal_of(*std::ranges::find(hardware(), name, &Hardware::name), snapshot).value_or("");
}

bool enables(const DevicePlan& plan, std::string_view extension) {
  return std::ranges::find(plan.extensions, extension) != plan.extensions.end();
}

TEST(Hardware, AnOldGpuHasNone) {
  const DevicePlan planned = plan(old_gpu()).value();
  EXPECT_FALSE(planned.native_halves);
  EXPECT_FALSE(planned.packed_dots);
  EXPECT_EQ(planned.matrices, MatrixShape{});
  EXPECT_TRUE(planned.extensions.empty());
  EXPECT_EQ(refusal(old_gpu(), "halves"), "It has no 16-bit storage (storageBuffer16BitAccess).");
  EXPECT_EQ(refusal(old_gpu(), "dots"), "It has no VK_KHR_shader_integer_dot_product.");
  EXPECT_EQ(refusal(old_gpu(), "matrices"), "It has no VK_NV_cooperative_matrix.");
}

TEST(Hardware, AMobileGpuHasHalvesAndDots) {
  const DevicePlan planned = plan(mali()).value();
  EXPECT_TRUE(planned.native_halves);
  EXPECT_TRUE(planned.packed_dots);
  EXPECT_TRUE(enables(planned, VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME));
  EXPECT_EQ(planned.matrices, MatrixShape{});
}

TEST(Hardware, AServersGpuHasMatricesToo) {
  const DevicePlan planned = plan(h100()).value();
  EXPECT_TRUE(planned.native_halves);
  EXPECT_TRUE(planned.packed_dots);
  EXPECT_EQ(planned.matrices, (MatrixShape{16, 16, 16}));
  EXPECT_FALSE(planned.emulates_matrices);
  EXPECT_TRUE(enables(planned, VK_NV_COOPERATIVE_MATRIX_EXTENSION_NAME));
}

TEST(Hardware, RefusalsOfMatricesNameWhatIsMissing) {
  Snapshot snapshot = h100();
  snapshot.matrix_shapes.pop_back();
  EXPECT_EQ(refusal(snapshot, "matrices"),
            "Its matrices of float16 with sums of float32 are not of 16 by 16 by 16.");
  snapshot.max_shared_bytes = 32768;
  EXPECT_EQ(refusal(snapshot, "matrices"), "Its shared memory (32768) is less than 40960 bytes.");
  snapshot.max_group_invocations = 128;
  EXPECT_EQ(refusal(snapshot, "matrices"), "Its workgroups (128) are smaller than 256 invocations.");
  snapshot.subgroup_size = 64;
  EXPECT_EQ(refusal(snapshot, "matrices"), "Its subgroups (64) are not of 32 invocations.");
  snapshot.vulkan_memory_model = false;
  EXPECT_EQ(refusal(snapshot, "matrices"), "It has no Vulkan memory model.");
  snapshot.shader_float16 = false;
  EXPECT_EQ(refusal(snapshot, "matrices"), "It has no float16 in shaders.");
  EXPECT_EQ(plan(snapshot).value().matrices, MatrixShape{});
}

TEST(Hardware, SoftwareDriversAreSparedWhatTheyDoSlowly) {
  Snapshot snapshot = mali();
  snapshot.kind = Kind::cpu;
  snapshot.fast_packed_dots = false;
  const DevicePlan planned = plan(snapshot).value();
  EXPECT_FALSE(planned.native_halves);
  EXPECT_FALSE(planned.packed_dots);
  EXPECT_EQ(refusal(snapshot, "dots"), "Its dot products of packed bytes are not accelerated.");
}

TEST(Hardware, OfWhatIsForcedAsMuchIsUsedAsThereIs) {
  Snapshot snapshot = mali();
  snapshot.kind = Kind::cpu;
  const DevicePlan forced = plan(snapshot, "halves,matrices").value();
  EXPECT_TRUE(forced.native_halves);
  EXPECT_FALSE(forced.packed_dots);
  EXPECT_EQ(forced.matrices, MatrixShape{});
  EXPECT_FALSE(plan(h100(), "none").value().native_halves);
}

TEST(Hardware, MatricesAreEmulatedOnlyWhereThatIsAskedFor) {
  EXPECT_FALSE(plan(old_gpu()).value().emulates_matrices);
  const DevicePlan forced = plan(old_gpu(), "matrices_emulated").value();
  EXPECT_TRUE(forced.emulates_matrices);
  EXPECT_TRUE(forced.extensions.empty());
  EXPECT_FALSE(plan(h100(), "matrices,matrices_emulated").value().emulates_matrices);
}

TEST(Hardware, FactsTellWhatIsUsedOrWhyNot) {
  const auto fact = [](const Snapshot& snapshot, std::string_view name) {
    const std::vector<Fact> facts = facts_of(snapshot, plan(snapshot).value());
    return std::get<std::string>(std::ranges::find(facts, name, &Fact::name)->value);
  };
  EXPECT_EQ(fact(h100(), "matrices"), "used");
  EXPECT_EQ(fact(mali(), "packed_dots"), "used");
  EXPECT_EQ(fact(old_gpu(), "native_halves"),
            "not used: It has no 16-bit storage (storageBuffer16BitAccess).");
}

}  // namespace
}  // namespace nnrt::vulkan
