// A program with the memory of its edges bound: command buffers that can be submitted again and again.
#pragma once

#include "backends/vulkan/pipeline/command_buffer.h"
#include "backends/vulkan/pipeline/descriptors.h"
#include "backends/vulkan/program/vulkan_program.h"
#include "backends/vulkan/runtime/step_trace.h"

#include <span>
#include <vector>

namespace nnrt::vulkan {

// The memory of an edge's tensor. Not `direct`: kernels use the edge memory, from or to which it is copied on
// the device.
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
  std::vector<CommandBuffer> submissions;  // one after the other
  EdgeCopies edge_copies;
  std::unique_ptr<StepTrace> trace;  // null where it has no timestamps
};

// The recording uses the program's pipelines and all of these buffers.
Result<Recording> record(const Context& context, const Program& program, std::span<const BoundEdge> edges,
                         const RunMemory& memory, bool traced);

}  // namespace nnrt::vulkan
