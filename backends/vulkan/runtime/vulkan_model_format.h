// The cache format of a model: packed constants, their Winograd limits and the driver's pipeline data.
// Commands are lowered from the graph again, so a file cannot influence which memory kernels access, except
// by the lengths of constants, which Constants::packed() checks. A forged file can make a model compute wrong
// results, and the driver's data (PipelineCache::import_driver_data) is as trustworthy as its author.
#pragma once

#include <cstdint>

namespace nnrt::vulkan {

// Increase if the written data change, or if lowering packs constants differently.
inline constexpr uint32_t kModelFormat = 25;

}  // namespace nnrt::vulkan
