// The GPU program of a model, planned for a device without using it.
#pragma once

#include "backends/vulkan/device/device_plan.h"
#include "backends/vulkan/program/vulkan_program.h"
#include "core/graph/graph.h"

namespace nnrt::test {

struct PlannedProgram {
  GraphPtr graph;  // after all passes; the steps' nodes are its nodes
  vulkan::Program program;
};

// `model` has been normalized, and its shapes are known. `float16` permits fp16 computation.
Result<PlannedProgram> planned_program(const GraphPtr& model, const vulkan::DevicePlan& plan, bool float16);

}  // namespace nnrt::test
