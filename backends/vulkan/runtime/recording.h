// A program with its edges bound to memory: command buffers that can be submitted repeatedly.
#pragma once

#include "backends/vulkan/pipeline/command_buffer.h"
#include "backends/vulkan/pipeline/descriptors.h"
#include "backends/vulkan/program/vulkan_program.h"
#include "backends/vulkan/runtime/step_trace.h"

#include <span>
#include <vector>

namespace nnrt::vulkan {

// The memory of an edge. If not `direct`, kernels use the program's edge memory, and the device copies to or
// from it.
struct BoundEdge {
  VkBuffer buffer = VK_NULL_HANDLE;
  uint64_t offset = 0;
  bool direct = false;
};

struct RunMemory {
  VkBuffer arena = VK_NULL_HANDLE;
  VkBuffer edges = VK_NULL_HANDLE;
};

struct Recording {
  Descriptors descriptors;
  std::vector<CommandBuffer> submissions;  // in order
  EdgeCopies edge_copies;
  std::unique_ptr<StepTrace> trace;  // null without timestamps
};

// The recording refers to the program's pipelines and to all of these buffers.
Result<Recording> record(const Context& context, const Program& program, std::span<const BoundEdge> edges,
                         const RunMemory& memory, bool traced);

}  // namespace nnrt::vulkan
