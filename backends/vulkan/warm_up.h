// Makes drivers that compile a pipeline at its first dispatch do so before the first run.
#pragma once

#include "backends/vulkan/context.h"
#include "backends/vulkan/program.h"

namespace nnrt::vulkan {

// Runs an empty dispatch of each of the program's pipelines that has not had one.
Status warm_up(Context& context, const Program& program);

}  // namespace nnrt::vulkan
