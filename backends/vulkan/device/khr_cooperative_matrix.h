// The declarations of VK_KHR_cooperative_matrix from its specification, which the headers of long-term
// distributions lack, and the queries.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>

namespace nnrt::vulkan {

struct Snapshot;

namespace khr {

inline constexpr const char* kCooperativeMatrix = "VK_KHR_cooperative_matrix";

// VkPhysicalDeviceCooperativeMatrixFeaturesKHR.
struct MatrixFeatures {
  VkStructureType sType = VkStructureType(1000506000);
  void* pNext = nullptr;
  VkBool32 cooperativeMatrix = VK_FALSE, cooperativeMatrixRobustBufferAccess = VK_FALSE;
};

// VkCooperativeMatrixPropertiesKHR: M x K times K x N.
struct MatrixProperties {
  VkStructureType sType = VkStructureType(1000506001);
  void* pNext = nullptr;
  uint32_t MSize = 0, NSize = 0, KSize = 0;
  uint32_t AType = 0, BType = 0, CType = 0, ResultType = 0;
  VkBool32 saturatingAccumulation = VK_FALSE;
  uint32_t scope = 0;
};

// VkPhysicalDeviceCooperativeMatrixPropertiesKHR.
struct MatrixStages {
  VkStructureType sType = VkStructureType(1000506002);
  void* pNext = nullptr;
  VkShaderStageFlags cooperativeMatrixSupportedStages = 0;
};

}  // namespace khr

// Queries the shapes of fp16 matrices with float sums and of INT8 matrices with INT32 sums, and whether
// subgroup sizes can be requested. Needs the snapshot's extensions.
void read_khr_matrices(VkPhysicalDevice device, Snapshot& snapshot);

}  // namespace nnrt::vulkan
