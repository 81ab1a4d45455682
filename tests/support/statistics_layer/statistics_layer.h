// A Vulkan layer that records what the driver's compiler reports about each compute pipeline. The Vulkan
// loader loads it as VK_LAYER_NNRT_statistics; programs read the records from the same process and link it.
// Needs no hardware: RADV compiles for a GPU that is not there if RADV_FORCE_FAMILY names one.
#pragma once

#include <vulkan/vulkan_core.h>

#include <map>
#include <string>
#include <vector>

namespace nnrt::statistics {

struct CompileRecord {
  VkResult result = VK_SUCCESS;
  double milliseconds = 0;  // CPU time of the calling thread, in which Mesa compiles
  // By the driver's names, such as "VGPRs"; empty without VK_KHR_pipeline_executable_properties.
  std::map<std::string, double> values;
  std::string code;  // the driver's IR with blocks and loops; empty unless capture_code() was called
};

// Captures the code of all following pipelines, which takes longer than compiling them.
void capture_code();

// Returns and forgets the pipelines compiled since the last call, in order.
std::vector<CompileRecord> take_compiled();

}  // namespace nnrt::statistics
