// The form of a model in a cache: constants as kernels want them, and the driver's data of its pipelines.
// Commands are lowered anew from the graph, so that nothing in a file decides where kernels read and write:
// but for lengths of constants, see Constants::packed(). A forged file can make a model compute nonsense; and
// the driver's own data (PipelineCache::import_driver_data) is as trustworthy as who wrote it.
#pragma once

#include <cstdint>

namespace nnrt::vulkan {

// To be raised when what is written, or what lowering makes of a graph's constants, is another.
inline constexpr uint32_t kModelFormat = 23;

}  // namespace nnrt::vulkan
