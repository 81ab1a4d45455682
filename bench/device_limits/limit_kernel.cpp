#include "device_limits/limit_kernel.h"

#include <array>

namespace bench {

using namespace nnrt::vulkan;  // Vulkan's functions

LimitKernel::LimitKernel(const nnrt::vulkan::Context& context, std::span<const uint32_t> words,
                         VkBuffer source, VkBuffer result)
    : device_(context.device()) {
  make_layouts();
  make_pipeline(words);
  bind(source, result);
}

void LimitKernel::record(VkCommandBuffer commands, const LimitPush& push, uint32_t groups) const {
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_.get());
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_.get(), 0, 1, &set_, 0, nullptr);
  vkCmdPushConstants(commands, layout_.get(), VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, &push);
  vkCmdDispatch(commands, groups, 1, 1);
}

void LimitKernel::make_layouts() {
  std::array<VkDescriptorSetLayoutBinding, 2> bindings{};
  for (uint32_t i = 0; i < 2; ++i)
    bindings[i] = {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  VkDescriptorSetLayoutCreateInfo set_info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
  set_info.bindingCount = 2;
  set_info.pBindings = bindings.data();
  VkDescriptorSetLayout set_layout;
  const VkResult made = vkCreateDescriptorSetLayout(device_, &set_info, nullptr, &set_layout);
  set_layout_ = {device_, done(made, set_layout)};
  const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(LimitPush)};
  VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  info.setLayoutCount = 1;
  info.pSetLayouts = &set_layout;
  info.pushConstantRangeCount = 1;
  info.pPushConstantRanges = &range;
  VkPipelineLayout layout;
  layout_ = {device_, done(vkCreatePipelineLayout(device_, &info, nullptr, &layout), layout)};
}

void LimitKernel::make_pipeline(std::span<const uint32_t> words) {
  VkShaderModuleCreateInfo code{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  code.codeSize = words.size_bytes();
  code.pCode = words.data();
  VkShaderModule module;
  const VkResult loaded = vkCreateShaderModule(device_, &code, nullptr, &module);
  const nnrt::vulkan::UniqueShaderModule owned(device_, done(loaded, module));
  VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                nullptr,
                0,
                VK_SHADER_STAGE_COMPUTE_BIT,
                module,
                "main",
                nullptr};
  info.layout = layout_.get();
  VkPipeline pipeline;
  const VkResult made = vkCreateComputePipelines(device_, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline);
  pipeline_ = {device_, done(made, pipeline)};
}

void LimitKernel::bind(VkBuffer source, VkBuffer result) {
  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2};
  VkDescriptorPoolCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  info.maxSets = 1;
  info.poolSizeCount = 1;
  info.pPoolSizes = &size;
  VkDescriptorPool pool;
  pool_ = {device_, done(vkCreateDescriptorPool(device_, &info, nullptr, &pool), pool)};
  const VkDescriptorSetLayout set_layout = set_layout_.get();
  VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, pool, 1,
                                       &set_layout};
  done(vkAllocateDescriptorSets(device_, &allocate, &set_), set_);
  const std::array<VkDescriptorBufferInfo, 2> buffers{
      {{source, 0, VK_WHOLE_SIZE}, {result, 0, VK_WHOLE_SIZE}}};
  VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
  write.dstSet = set_;
  write.descriptorCount = 2;  // this binding and the next
  write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  write.pBufferInfo = buffers.data();
  vkUpdateDescriptorSets(device_, 1, &write, 0, nullptr);
}

}  // namespace bench
