#include "backends/vulkan/warm_up.h"

#include "backends/vulkan/driver_time.h"

#include <vector>

namespace nnrt::vulkan {

WarmUp::~WarmUp() {
  // Where this fails the device is lost, and nothing is used any more.
  static_cast<void>(finish());
}

Status WarmUp::open() {
  if (timeline_.get() != VK_NULL_HANDLE) return {};
  NNRT_ASSIGN(buffer_, make_buffer(context_, 256, Place::device));
  NNRT_ASSIGN(timeline_, make_timeline(context_));
  return {};
}

Result<VkDescriptorSet> WarmUp::make_set(const Pipeline& pipeline, UniqueDescriptorPool& pool) const {
  const auto bindings = uint32_t(pipeline.shader->shader.bindings.size());
  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, bindings};
  VkDescriptorPoolCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  info.maxSets = 1;
  info.poolSizeCount = 1;
  info.pPoolSizes = &size;
  NNRT_TRY(make(context_, vkCreateDescriptorPool, info, pool, "vkCreateDescriptorPool"));
  const VkDescriptorSetLayout layout = pipeline.shader->set_layout.get();
  VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
  allocate.descriptorPool = pool.get();
  allocate.descriptorSetCount = 1;
  allocate.pSetLayouts = &layout;
  VkDescriptorSet set = VK_NULL_HANDLE;
  NNRT_TRY(context_.check(vkAllocateDescriptorSets(context_.device(), &allocate, &set),
                          "vkAllocateDescriptorSets"));
  const std::vector<VkDescriptorBufferInfo> ranges(bindings, {buffer_.get(), 0, VK_WHOLE_SIZE});
  VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
  write.dstSet = set;
  write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  write.descriptorCount = 1;
  for (write.dstBinding = 0; write.dstBinding < bindings; ++write.dstBinding) {
    write.pBufferInfo = &ranges[write.dstBinding];
    vkUpdateDescriptorSets(context_.device(), 1, &write, 0, nullptr);
  }
  return set;
}

Status WarmUp::add(const Dispatch& dispatch, const Pipeline& pipeline) {
  const std::lock_guard lock(mutex_);
  NNRT_TRY(open());
  Begun begun;
  NNRT_ASSIGN(const VkDescriptorSet set, make_set(pipeline, begun.descriptors));
  VkMemoryBarrier between{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  between.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
  between.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
  const auto record = [&](VkCommandBuffer commands) {
    const VkPipelineLayout layout = pipeline.shader->layout.get();
    // Nothing is written, but that is not known to validation.
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                         0, 1, &between, 0, nullptr, 0, nullptr);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.pipeline.get());
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    if (dispatch.push.size() > 0) {
      vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, uint32_t(dispatch.push.size()),
                         dispatch.push.data());
    }
    vkCmdDispatch(commands, 0, 0, 0);
  };
  NNRT_ASSIGN(begun.commands, record_commands(context_, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, record));
  NNRT_TRY(context_.submit(begun.commands.commands, timeline_.get(), submitted_ + 1));
  ++submitted_;
  begun_.push_back(std::move(begun));
  return {};
}

Status WarmUp::finish() {
  const std::lock_guard lock(mutex_);
  if (begun_.empty()) return {};
  const DriverTime driver_time;
  const Status status = context_.wait(timeline_.get(), submitted_, std::nullopt);
  begun_.clear();
  return status;
}

}  // namespace nnrt::vulkan
