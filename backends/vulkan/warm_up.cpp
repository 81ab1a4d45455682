#include "backends/vulkan/warm_up.h"

#include "backends/vulkan/command_buffer.h"
#include "backends/vulkan/driver_time.h"
#include "backends/vulkan/memory.h"

#include <algorithm>
#include <vector>

namespace nnrt::vulkan {
namespace {

using Cold = std::vector<std::pair<const Dispatch*, const Pipeline*>>;

Cold cold_pipelines(const Program& program) {
  Cold cold;
  for (const Step& step : program.steps) {
    if (step.pipeline == nullptr || step.pipeline->warm.exchange(true)) continue;
    cold.emplace_back(&std::get<Dispatch>(step.command), step.pipeline);
  }
  return cold;
}

// A set for each pipeline, with `buffer` behind every binding: an empty dispatch touches none of them.
Result<std::vector<VkDescriptorSet>> make_sets(const Context& context, const Cold& cold, VkBuffer buffer,
                                               UniqueDescriptorPool& pool) {
  std::vector<VkDescriptorSetLayout> layouts;
  VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
  for (const auto& [dispatch, pipeline] : cold) {
    layouts.push_back(pipeline->shader->set_layout.get());
    size.descriptorCount += uint32_t(dispatch->buffers.size());
  }
  VkDescriptorPoolCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  info.maxSets = uint32_t(layouts.size());
  info.poolSizeCount = 1;
  info.pPoolSizes = &size;
  NNRT_TRY(make(context, vkCreateDescriptorPool, info, pool, "vkCreateDescriptorPool"));
  VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
  allocate.descriptorPool = pool.get();
  allocate.descriptorSetCount = uint32_t(layouts.size());
  allocate.pSetLayouts = layouts.data();
  std::vector<VkDescriptorSet> sets(layouts.size());
  NNRT_TRY(context.check(vkAllocateDescriptorSets(context.device(), &allocate, sets.data()),
                         "vkAllocateDescriptorSets"));

  const VkDescriptorBufferInfo range{buffer, 0, VK_WHOLE_SIZE};
  for (size_t i = 0; i < cold.size(); ++i) {
    const std::vector<VkDescriptorBufferInfo> ranges(cold[i].first->buffers.size(), range);
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = sets[i];
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    for (write.dstBinding = 0; write.dstBinding < ranges.size(); ++write.dstBinding) {
      write.descriptorCount = 1;
      write.pBufferInfo = &ranges[write.dstBinding];
      vkUpdateDescriptorSets(context.device(), 1, &write, 0, nullptr);
    }
  }
  return sets;
}

}  // namespace

Status warm_up(Context& context, const Program& program) {
  const Cold cold = cold_pipelines(program);
  if (cold.empty()) return {};
  NNRT_ASSIGN(const DeviceBuffer buffer, make_buffer(context, 256, Place::device));
  UniqueDescriptorPool pool;
  NNRT_ASSIGN(const std::vector<VkDescriptorSet> sets, make_sets(context, cold, buffer.get(), pool));
  VkMemoryBarrier between{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  between.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
  between.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
  const DriverTime driver_time;
  return run_once(context, [&](VkCommandBuffer commands) {
    for (size_t i = 0; i < cold.size(); ++i) {
      const auto& [dispatch, pipeline] = cold[i];
      const VkPipelineLayout layout = pipeline->shader->layout.get();
      vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline->pipeline.get());
      vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &sets[i], 0, nullptr);
      if (dispatch->push.size() > 0) {
        vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, uint32_t(dispatch->push.size()),
                           dispatch->push.data());
      }
      vkCmdDispatch(commands, 0, 0, 0);
      // Nothing is written, but that is not known to validation.
      vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                           VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &between, 0, nullptr, 0, nullptr);
    }
  });
}

}  // namespace nnrt::vulkan
