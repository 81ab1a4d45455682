#include "backends/vulkan/device/khr_cooperative_matrix.h"

#include "backends/vulkan/device/device_snapshot.h"
#include "backends/vulkan/device/vk_instance.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

// VkComponentTypeKHR and VkScopeKHR.
constexpr uint32_t kFloat16 = 0, kFloat32 = 1, kSint8 = 3, kSint32 = 5, kSubgroup = 3;

// khr::MatrixProperties or nv2::MatrixSteps.
template <typename Properties>
bool is_of(const Properties& one, uint32_t operands, uint32_t sums) {
  return one.AType == operands && one.BType == operands && one.CType == sums && one.ResultType == sums &&
         one.scope == kSubgroup && one.saturatingAccumulation == VK_FALSE;
}

template <typename Properties>
std::vector<Properties> all_of(VkPhysicalDevice device, const char* query) {
  const auto vulkan = instance();
  if (!vulkan.ok()) return {};
  using Get = VkResult(VKAPI_PTR*)(VkPhysicalDevice, uint32_t*, Properties*);
  const auto get = reinterpret_cast<Get>(vkGetInstanceProcAddr(vulkan.value(), query));
  uint32_t count = 0;
  if (get == nullptr || get(device, &count, nullptr) != VK_SUCCESS) return {};
  std::vector<Properties> all(count);
  if (get(device, &count, all.data()) != VK_SUCCESS) return {};
  all.resize(count);
  return all;
}

void take_shapes(VkPhysicalDevice device, Snapshot& snapshot) {
  for (const auto& one :
       all_of<khr::MatrixProperties>(device, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR")) {
    const CooperativeMatrixShape shape{one.MSize, one.NSize, one.KSize};
    if (is_of(one, kFloat16, kFloat32)) snapshot.khr_matrix_shapes.push_back(shape);
    if (is_of(one, kSint8, kSint32)) snapshot.khr_int8_matrix_shapes.push_back(shape);
  }
}

void take_flexible_steps(VkPhysicalDevice device, Snapshot& snapshot) {
  nv2::MatrixFeatures matrices;
  VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &matrices};
  vkGetPhysicalDeviceFeatures2(device, &features);
  if (!matrices.cooperativeMatrixFlexibleDimensions) return;
  nv2::MatrixLimits limits;
  VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &limits};
  vkGetPhysicalDeviceProperties2(device, &properties);
  snapshot.max_matrix_side = limits.cooperativeMatrixFlexibleDimensionsMaxDimension;
  for (const auto& one :
       all_of<nv2::MatrixSteps>(device, "vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV"))
    if (is_of(one, kFloat16, kFloat32))
      snapshot.flexible_matrix_steps.push_back({one.MGranularity, one.NGranularity, one.KGranularity});
}

}  // namespace

void read_khr_matrices(VkPhysicalDevice device, Snapshot& snapshot) {
  const auto offers = [&](std::string_view extension) {
    return std::ranges::find(snapshot.extensions, extension) != snapshot.extensions.end();
  };
  if (!offers(khr::kCooperativeMatrix)) return;
  khr::MatrixFeatures matrices;
  VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &matrices};
  vkGetPhysicalDeviceFeatures2(device, &features);
  khr::MatrixStages stages;
  VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &stages};
  vkGetPhysicalDeviceProperties2(device, &properties);
  const bool in_kernels = (stages.cooperativeMatrixSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
  snapshot.khr_cooperative_matrix = matrices.cooperativeMatrix && in_kernels;
  if (!snapshot.khr_cooperative_matrix) return;
  take_shapes(device, snapshot);
  if (offers(nv2::kCooperativeMatrix2)) take_flexible_steps(device, snapshot);
}

}  // namespace nnrt::vulkan
