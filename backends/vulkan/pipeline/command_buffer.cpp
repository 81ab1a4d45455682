#include "backends/vulkan/pipeline/command_buffer.h"

namespace nnrt::vulkan {

Result<CommandBuffer> record_commands(const Context& context, VkCommandBufferUsageFlags usage,
                                      const std::function<void(VkCommandBuffer)>& record) {
  VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  pool.queueFamilyIndex = context.plan().queue.family;
  CommandBuffer buffer;
  NNRT_TRY(make(context, vkCreateCommandPool, pool, buffer.pool, "vkCreateCommandPool"));
  VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  info.commandPool = buffer.pool.get();
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = 1;
  NNRT_TRY(context.check(vkAllocateCommandBuffers(context.device(), &info, &buffer.commands),
                         "vkAllocateCommandBuffers"));
  VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  begin.flags = usage;
  NNRT_TRY(context.check(vkBeginCommandBuffer(buffer.commands, &begin), "vkBeginCommandBuffer"));
  record(buffer.commands);
  NNRT_TRY(context.check(vkEndCommandBuffer(buffer.commands), "vkEndCommandBuffer"));
  return buffer;
}

Status run_once(Context& context, const std::function<void(VkCommandBuffer)>& record) {
  NNRT_ASSIGN(const CommandBuffer buffer,
              record_commands(context, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, record));
  NNRT_ASSIGN(const UniqueSemaphore done, make_timeline(context));
  NNRT_TRY(context.submit(buffer.commands, done.get(), 1));
  return context.wait(done.get(), 1, std::nullopt);
}

Result<UniqueSemaphore> make_timeline(const Context& context) {
  VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type};
  UniqueSemaphore semaphore;
  NNRT_TRY(make(context, vkCreateSemaphore, info, semaphore, "vkCreateSemaphore"));
  return semaphore;
}

}  // namespace nnrt::vulkan
