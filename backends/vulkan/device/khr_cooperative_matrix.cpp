#include "backends/vulkan/device/khr_cooperative_matrix.h"

#include "backends/vulkan/device/device_snapshot.h"
#include "backends/vulkan/device/vk_instance.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

using GetProperties = VkResult(VKAPI_PTR*)(VkPhysicalDevice, uint32_t*, khr::MatrixProperties*);

// VkComponentTypeKHR and VkScopeKHR.
constexpr uint32_t kFloat16 = 0, kFloat32 = 1, kSint8 = 3, kSint32 = 5, kSubgroup = 3;

bool is_of(const khr::MatrixProperties& one, uint32_t operands, uint32_t sums) {
  return one.AType == operands && one.BType == operands && one.CType == sums && one.ResultType == sums &&
         one.scope == kSubgroup && one.saturatingAccumulation == VK_FALSE;
}

void take_shapes(VkPhysicalDevice device, Snapshot& snapshot) {
  const auto vulkan = instance();
  if (!vulkan.ok()) return;
  const auto get = reinterpret_cast<GetProperties>(
      vkGetInstanceProcAddr(vulkan.value(), "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR"));
  uint32_t count = 0;
  if (get == nullptr || get(device, &count, nullptr) != VK_SUCCESS) return;
  std::vector<khr::MatrixProperties> all(count);
  if (get(device, &count, all.data()) != VK_SUCCESS) return;
  all.resize(count);
  for (const khr::MatrixProperties& one : all) {
    const CooperativeMatrixShape shape{one.MSize, one.NSize, one.KSize};
    if (is_of(one, kFloat16, kFloat32)) snapshot.khr_matrix_shapes.push_back(shape);
    if (is_of(one, kSint8, kSint32)) snapshot.khr_int8_matrix_shapes.push_back(shape);
  }
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
}

}  // namespace nnrt::vulkan
