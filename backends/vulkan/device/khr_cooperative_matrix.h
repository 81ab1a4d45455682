// The declarations of VK_KHR_cooperative_matrix and VK_NV_cooperative_matrix2 from their specifications,
// which the headers of long-term distributions lack, and the queries.
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

namespace nv2 {

inline constexpr const char* kCooperativeMatrix2 = "VK_NV_cooperative_matrix2";

// VkPhysicalDeviceCooperativeMatrix2FeaturesNV.
struct MatrixFeatures {
  VkStructureType sType = VkStructureType(1000593000);
  void* pNext = nullptr;
  VkBool32 cooperativeMatrixWorkgroupScope = VK_FALSE, cooperativeMatrixFlexibleDimensions = VK_FALSE,
           cooperativeMatrixReductions = VK_FALSE, cooperativeMatrixConversions = VK_FALSE,
           cooperativeMatrixPerElementOperations = VK_FALSE, cooperativeMatrixTensorAddressing = VK_FALSE,
           cooperativeMatrixBlockLoads = VK_FALSE;
};

// VkCooperativeMatrixFlexibleDimensionsPropertiesNV.
struct MatrixSteps {
  VkStructureType sType = VkStructureType(1000593001);
  void* pNext = nullptr;
  uint32_t MGranularity = 0, NGranularity = 0, KGranularity = 0;
  uint32_t AType = 0, BType = 0, CType = 0, ResultType = 0;
  VkBool32 saturatingAccumulation = VK_FALSE;
  uint32_t scope = 0;
  uint32_t workgroupInvocations = 0;
};

// VkPhysicalDeviceCooperativeMatrix2PropertiesNV.
struct MatrixLimits {
  VkStructureType sType = VkStructureType(1000593002);
  void* pNext = nullptr;
  uint32_t cooperativeMatrixWorkgroupScopeMaxWorkgroupSize = 0;
  uint32_t cooperativeMatrixFlexibleDimensionsMaxDimension = 0;
  uint32_t cooperativeMatrixWorkgroupScopeReservedSharedMemory = 0;
};

}  // namespace nv2

// Queries the shapes of fp16 matrices with float sums and of INT8 matrices with INT32 sums, and the steps of
// flexible ones. Needs the snapshot's extensions.
void read_khr_matrices(VkPhysicalDevice device, Snapshot& snapshot);

}  // namespace nnrt::vulkan
