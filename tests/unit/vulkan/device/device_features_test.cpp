#include "backends/vulkan/device/device_features.h"

#include "backends/vulkan/device/device_info.h"
#include "backends/vulkan/device/device_plan.h"
#include "backends/vulkan/runtime/vulkan_kernel_names.h"
#include "tests/unit/vulkan/device/plain_snapshot.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace nnrt::vulkan {
namespace {

// An older Vulkan 1.2 device.
Snapshot old_gpu() {
  Snapshot s = plain_snapshot(Kind::discrete);
  s.max_group_invocations = 1024;
  s.max_group_size = {1024, 1024, 64};
  s.max_shared_bytes = 49152;
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
  s.int8_dot = s.fast_int8_dot = true;
  s.vulkan_memory_model = s.device_scope = true;
  return s;
}

Snapshot h100() {
  Snapshot s = old_gpu();
  s.device_name = std::string("H100");
  s.storage_16bit = s.storage_8bit = s.shader_float16 = s.shader_int8 = true;
  s.int8_dot = s.fast_int8_dot = true;
  s.vulkan_memory_model = s.device_scope = s.cooperative_matrix = true;
  s.matrix_shapes = {{16, 8, 8}, {16, 8, 16}, {16, 16, 16}};
  s.int8_matrix_shapes = {{16, 8, 32}, {16, 16, 32}};
  return s;
}

// Cooperative matrices by the KHR extension only.
Snapshot khr_gpu(uint32_t subgroup, const std::vector<CooperativeMatrixShape>& shapes) {
  Snapshot s = h100();
  s.device_name = std::string("KHR GPU");
  s.cooperative_matrix = false;
  s.matrix_shapes.clear();
  s.khr_cooperative_matrix = true;
  s.khr_matrix_shapes = shapes;
  s.subgroup_size = s.min_subgroup_size = s.max_subgroup_size = subgroup;
  return s;
}

std::string refusal(const Snapshot& snapshot, std::string_view name) {
  return refusal_of(*std::ranges::find(device_features(), name, &DeviceFeature::name), snapshot).value_or("");
}

DevicePlan planned(const Snapshot& snapshot, std::string_view kernels) {
  return plan(snapshot, parse_kernel_switch("test", kernels, kernel_names())).value();
}

bool enables(const DevicePlan& plan, std::string_view extension) {
  return std::ranges::find(plan.extensions, extension) != plan.extensions.end();
}

TEST(DeviceFeature, AnOldGpuHasNone) {
  const DevicePlan planned = plan(old_gpu()).value();
  EXPECT_FALSE(planned.fp16_storage);
  EXPECT_FALSE(planned.int8_dot);
  EXPECT_EQ(planned.matrices.fp16, CooperativeMatrixShape{});
  EXPECT_TRUE(planned.extensions.empty());
  EXPECT_EQ(refusal(old_gpu(), "fp16_storage"), "It has no 16-bit storage (storageBuffer16BitAccess).");
  EXPECT_EQ(refusal(old_gpu(), "int8_dot"), "It has no VK_KHR_shader_integer_dot_product.");
  EXPECT_EQ(refusal(old_gpu(), "cooperative_matrix"), "It has no VK_NV_cooperative_matrix.");
}

TEST(DeviceFeature, AMobileGpuHasFp16AndDots) {
  const DevicePlan planned = plan(mali()).value();
  EXPECT_TRUE(planned.fp16_storage);
  EXPECT_TRUE(planned.int8_dot);
  EXPECT_TRUE(enables(planned, VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME));
  EXPECT_EQ(planned.matrices.fp16, CooperativeMatrixShape{});
}

TEST(DeviceFeature, AServersGpuHasCooperativeMatricesToo) {
  const DevicePlan planned = plan(h100()).value();
  EXPECT_TRUE(planned.fp16_storage);
  EXPECT_TRUE(planned.int8_dot);
  EXPECT_EQ(planned.matrices.fp16, (CooperativeMatrixShape{16, 16, 16}));
  EXPECT_FALSE(planned.matrices.emulates_fp16);
  EXPECT_TRUE(enables(planned, VK_NV_COOPERATIVE_MATRIX_EXTENSION_NAME));
}

TEST(DeviceFeature, CooperativeMatrixRefusalsNameMissingFeatures) {
  Snapshot snapshot = h100();
  snapshot.matrix_shapes.pop_back();
  EXPECT_EQ(refusal(snapshot, "cooperative_matrix"),
            "It has no 16x16x16 matrices of float16 with float32 sums.");
  snapshot.subgroup_size = 64;
  EXPECT_EQ(refusal(snapshot, "cooperative_matrix"), "Its subgroups (64) are not of 32 invocations.");
  snapshot.device_scope = false;
  EXPECT_EQ(refusal(snapshot, "cooperative_matrix"), "It has no Vulkan memory model with device scope.");
  snapshot.shader_float16 = false;
  EXPECT_EQ(refusal(snapshot, "cooperative_matrix"), "It has no float16 in shaders.");
  EXPECT_EQ(plan(snapshot).value().matrices.fp16, CooperativeMatrixShape{});
}

TEST(DeviceFeature, KhrMatricesUseTheLargestFittingShape) {
  const DevicePlan wide = planned(khr_gpu(64, {{16, 16, 16}, {16, 8, 16}, {32, 32, 16}}), "");
  EXPECT_TRUE(wide.matrices.khr);
  EXPECT_EQ(wide.matrices.fp16, (CooperativeMatrixShape{16, 16, 16}));
  EXPECT_EQ(wide.matrices.subgroup, 64u);
  EXPECT_TRUE(enables(wide, "VK_KHR_cooperative_matrix"));
  EXPECT_FALSE(enables(wide, VK_NV_COOPERATIVE_MATRIX_EXTENSION_NAME));
  const DevicePlan narrow = planned(khr_gpu(16, {{8, 16, 16}, {8, 8, 8}}), "");
  EXPECT_EQ(narrow.matrices.fp16, (CooperativeMatrixShape{8, 16, 16}));
  EXPECT_EQ(narrow.matrices.subgroup, 16u);
}

TEST(DeviceFeature, EarlyDriversOfRdna3HaveFewRegisters) {
  Snapshot amd = khr_gpu(32, {});
  amd.vendor_id = kAmd;
  amd.device_name = "AMD Radeon RX 7900 XTX (RADV NAVI31)";
  EXPECT_EQ(plan(amd).value().max_registers, 256u);
  amd.device_name = "AMD Unknown (RADV GFX1100)";
  EXPECT_EQ(plan(amd).value().max_registers, 132u);
  amd.device_name = "Radeon 8060S Graphics (RADV GFX1151)";
  EXPECT_EQ(plan(amd).value().max_registers, 256u);
}

TEST(DeviceFeature, MatricesOfIntelAreNotUsed) {
  Snapshot intel = khr_gpu(32, {{8, 16, 16}});
  intel.vendor_id = kIntel;
  intel.khr_int8_matrix_shapes = {{8, 16, 32}};
  EXPECT_EQ(refusal(intel, "khr_cooperative_matrix"),
            "Its subgroups have too few registers for tiles of matrices.");
  EXPECT_EQ(refusal(intel, "int8_matrix"), "Its float16 cooperative matrices are not used.");
  const DevicePlan usual = planned(intel, "+khr_cooperative_matrix");
  EXPECT_EQ(usual.matrices.fp16, CooperativeMatrixShape{});
  EXPECT_EQ(usual.matrices.int8, CooperativeMatrixShape{});
  EXPECT_TRUE(usual.int8_dot);
  EXPECT_EQ(usual.max_registers, 128u);
}

TEST(DeviceFeature, MatricesNeedFixedSubgroupSize) {
  Snapshot snapshot = khr_gpu(32, {{16, 16, 16}});
  snapshot.min_subgroup_size = 8;
  EXPECT_EQ(refusal(snapshot, "khr_cooperative_matrix"), "Its subgroup size varies.");
  EXPECT_EQ(planned(snapshot, "").matrices.fp16, CooperativeMatrixShape{});
  snapshot.sets_subgroup_size = true;
  const DevicePlan plan = planned(snapshot, "");
  EXPECT_TRUE(plan.matrices.khr && plan.matrices.sets_subgroup_size);
  EXPECT_TRUE(enables(plan, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME));
}

TEST(DeviceFeature, KhrMatrixRefusalNamesMissingFeature) {
  EXPECT_EQ(refusal(old_gpu(), "khr_cooperative_matrix"), "It has no VK_KHR_cooperative_matrix.");
  EXPECT_EQ(refusal(khr_gpu(32, {{32, 32, 16}, {16, 16, 4}}), "khr_cooperative_matrix"),
            "None of its float16 matrices with float32 sums has a shape that divides tiles.");
  EXPECT_EQ(refusal(khr_gpu(128, {{16, 16, 16}}), "khr_cooperative_matrix"),
            "Its subgroups (128) are not of 8, 16, 32 or 64 invocations.");
  Snapshot small = khr_gpu(64, {{16, 16, 16}});
  small.max_group_invocations = 128;
  EXPECT_EQ(refusal(small, "khr_cooperative_matrix"), "Its workgroups are too small.");
}

TEST(DeviceFeature, PrefersNvidiaMatricesUnlessKhrIsForced) {
  Snapshot both = h100();
  both.khr_cooperative_matrix = true;
  both.khr_matrix_shapes = {{16, 16, 16}};
  EXPECT_FALSE(plan(both).value().matrices.khr);
  EXPECT_EQ(refusal(both, "khr_cooperative_matrix"), "VK_NV_cooperative_matrix is used instead.");
  const DevicePlan forced = planned(both, "+khr_cooperative_matrix");
  EXPECT_TRUE(forced.matrices.khr);
  EXPECT_FALSE(enables(forced, VK_NV_COOPERATIVE_MATRIX_EXTENSION_NAME));
}

TEST(DeviceFeature, FlexibleMatricesAreUsedIfForced) {
  Snapshot gpu = khr_gpu(32, {{16, 16, 16}});
  EXPECT_EQ(refusal(gpu, "flexible_matrix"),
            "It has no float16 matrices of flexible sides (VK_NV_cooperative_matrix2).");
  gpu.max_matrix_side = 256;
  gpu.flexible_matrix_steps = {{32, 16, 16}};  // no multiple of it is 16 x 16
  EXPECT_EQ(planned(gpu, "+flexible_matrix").matrices.flexible_side, 0u);
  gpu.flexible_matrix_steps.push_back({16, 8, 16});
  EXPECT_EQ(refusal(gpu, "flexible_matrix"), "It was never measured.");
  EXPECT_EQ(plan(gpu).value().matrices.fp16_of(32, 64), (CooperativeMatrixShape{16, 16, 16}));
  const DevicePlan forced = planned(gpu, "+flexible_matrix");
  EXPECT_TRUE(enables(forced, "VK_NV_cooperative_matrix2"));
  EXPECT_EQ(forced.matrices.fp16_of(16, 16), (CooperativeMatrixShape{16, 16, 16}));
  EXPECT_EQ(forced.matrices.fp16_of(32, 64), (CooperativeMatrixShape{32, 32, 16}));
  EXPECT_EQ(planned(gpu, "+flexible_matrix,-khr_cooperative_matrix").matrices.flexible_side, 0u);
}

TEST(DeviceFeature, Int8MatricesShareTheFp16Extension) {
  Snapshot both = h100();
  EXPECT_EQ(plan(both).value().matrices.int8, (CooperativeMatrixShape{16, 16, 32}));
  both.khr_cooperative_matrix = true;
  both.khr_matrix_shapes = {{16, 16, 16}};
  both.khr_int8_matrix_shapes = {{16, 8, 32}};
  EXPECT_EQ(plan(both).value().matrices.int8, (CooperativeMatrixShape{16, 16, 32}));
  EXPECT_EQ(planned(both, "+khr_cooperative_matrix").matrices.int8, (CooperativeMatrixShape{16, 8, 32}));
  EXPECT_EQ(planned(both, "-cooperative_matrix,-khr_cooperative_matrix").matrices.int8,
            CooperativeMatrixShape{});
  EXPECT_EQ(planned(both, "-int8_matrix").matrices.int8, CooperativeMatrixShape{});
  Snapshot khr = khr_gpu(16, {{8, 16, 16}});
  khr.khr_int8_matrix_shapes = {{8, 16, 8}, {8, 16, 32}, {32, 32, 32}};
  EXPECT_EQ(plan(khr).value().matrices.int8, (CooperativeMatrixShape{8, 16, 32}));
  khr.khr_int8_matrix_shapes = {{8, 8, 8}, {8, 8, 4}};
  EXPECT_EQ(plan(khr).value().matrices.int8, (CooperativeMatrixShape{8, 8, 8}));
}

TEST(DeviceFeature, Int8MatrixRefusalNamesMissingFeature) {
  EXPECT_EQ(refusal(old_gpu(), "int8_matrix"), "Its float16 cooperative matrices are not used.");
  Snapshot snapshot = h100();
  snapshot.int8_matrix_shapes = {{16, 8, 4}, {32, 8, 32}};
  EXPECT_EQ(refusal(snapshot, "int8_matrix"),
            "None of its INT8 matrices with INT32 sums has a shape that divides tiles.");
  snapshot.shader_int8 = false;
  EXPECT_EQ(refusal(snapshot, "int8_matrix"), "It has no int8 in shaders.");
}

TEST(DeviceFeature, MatricesOfInt8AreEmulatedByThemselves) {
  const DevicePlan forced = planned(old_gpu(), "+int8_matrix_emulated");
  EXPECT_TRUE(forced.matrices.emulates_int8);
  EXPECT_EQ(forced.matrices.fp16, CooperativeMatrixShape{});
  EXPECT_EQ(planned(old_gpu(), "+cooperative_matrix_emulated").matrices.int8, CooperativeMatrixShape{});
  EXPECT_FALSE(planned(h100(), "+int8_matrix_emulated").matrices.emulates_int8);
}

TEST(DeviceFeature, SoftwareDriversSkipSlowFeatures) {
  Snapshot snapshot = mali();
  snapshot.kind = Kind::cpu;
  snapshot.fast_int8_dot = false;
  const DevicePlan planned = plan(snapshot).value();
  EXPECT_FALSE(planned.fp16_storage);
  EXPECT_FALSE(planned.int8_dot);
  EXPECT_EQ(refusal(snapshot, "int8_dot"), "Its packed dot products are not accelerated.");
}

TEST(DeviceFeature, ForcedFeaturesNeedSupport) {
  Snapshot snapshot = mali();
  snapshot.kind = Kind::cpu;
  const DevicePlan forced = planned(snapshot, "+fp16_storage,+cooperative_matrix,-int8_dot");
  EXPECT_TRUE(forced.fp16_storage);
  EXPECT_FALSE(forced.int8_dot);
  EXPECT_EQ(forced.matrices.fp16, CooperativeMatrixShape{});
  EXPECT_FALSE(planned(h100(), "-fp16_storage").fp16_storage);
}

TEST(DeviceFeature, MatricesAreEmulatedOnlyOnRequest) {
  EXPECT_FALSE(plan(old_gpu()).value().matrices.emulates_fp16);
  const DevicePlan forced = planned(old_gpu(), "+cooperative_matrix_emulated");
  EXPECT_TRUE(forced.matrices.emulates_fp16);
  EXPECT_TRUE(forced.extensions.empty());
  EXPECT_FALSE(planned(h100(), "+cooperative_matrix,+cooperative_matrix_emulated").matrices.emulates_fp16);
}

TEST(DeviceFeature, PropertiesExplainUse) {
  const auto property = [](const Snapshot& snapshot, std::string_view name) {
    const std::vector<DeviceProperty> properties = device_info_of(snapshot, plan(snapshot).value());
    return std::get<std::string>(std::ranges::find(properties, name, &DeviceProperty::name)->value);
  };
  EXPECT_EQ(property(h100(), "cooperative_matrix"), "used");
  EXPECT_EQ(property(mali(), "int8_dot"), "used");
  EXPECT_EQ(property(old_gpu(), "fp16_storage"),
            "not used: It has no 16-bit storage (storageBuffer16BitAccess).");
}

TEST(DeviceFeatures, GpusMeasureTiles) {
  EXPECT_EQ(plan(h100()).value().tuning, Tuning::on);
  Snapshot software = old_gpu();
  software.kind = Kind::cpu;
  EXPECT_EQ(plan(software).value().tuning, Tuning::kept);
  const auto with = [&](const char* text) {
    return plan(software, parse_kernel_switch("test", text, kernel_names())).value().tuning;
  };
  EXPECT_EQ(with("+tile_tuning"), Tuning::on);
  EXPECT_EQ(with("+tile_tuning,-measured_tiles"), Tuning::off);
}

}  // namespace
}  // namespace nnrt::vulkan
