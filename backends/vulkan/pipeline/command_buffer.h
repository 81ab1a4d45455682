// A command buffer with its pool.
#pragma once

#include "backends/vulkan/pipeline/vk_context.h"

#include <functional>

namespace nnrt::vulkan {

struct CommandBuffer {
  UniqueCommandPool pool;
  VkCommandBuffer commands = VK_NULL_HANDLE;  // owned by the pool
};

// Calls `record` between begin and end.
Result<CommandBuffer> record_commands(const Context& context, VkCommandBufferUsageFlags usage,
                                      const std::function<void(VkCommandBuffer)>& record);

// Records, submits and waits.
Status run_once(Context& context, const std::function<void(VkCommandBuffer)>& record);

Result<UniqueSemaphore> make_timeline(const Context& context);

}  // namespace nnrt::vulkan
