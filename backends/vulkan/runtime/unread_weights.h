// Which constants of a cache file a restored model does not read.
#pragma once

#include "backends/vulkan/device/device_plan.h"
#include "backends/vulkan/memory/device_constants.h"
#include "core/graph/graph.h"

namespace nnrt::vulkan {

// Whether everything is lowered once, in Build, by passes that read constants only through ensure_read().
bool may_read_late(const Graph& graph, bool float16, Shaders shaders);

// Reads all constants but weights of products and convolutions that `constants` has packed.
Status read_needed(const Graph& graph, const Constants& constants);

}  // namespace nnrt::vulkan
