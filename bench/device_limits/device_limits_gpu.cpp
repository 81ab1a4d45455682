#include "backends/vulkan/memory/device_buffer.h"
#include "backends/vulkan/pipeline/command_buffer.h"
#include "backends/vulkan/runtime/vulkan_device.h"
#include "backends/vulkan/runtime/vulkan_devices.h"
#include "device_limits/device_limits.h"
#include "multiply_add.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <stdexcept>

namespace bench {
namespace {

using nnrt::vulkan::Context;
using Seconds = std::chrono::duration<double>;

template <typename Handle>
Handle done(VkResult result, const Handle& handle) {
  if (result != VK_SUCCESS) throw std::runtime_error("A Vulkan call of the bench fails.");
  return handle;
}

double best_rate(Context& context, double work, const std::function<void(VkCommandBuffer)>& record) {
  const auto commands = nnrt::vulkan::record_commands(context, 0, record).value();
  const auto timeline = nnrt::vulkan::make_timeline(context).value();
  double best = 0;
  for (uint64_t round = 1; round <= 7; ++round) {
    const auto start = std::chrono::steady_clock::now();
    if (!context.submit(commands.commands, timeline.get(), round).ok() ||
        !context.wait(timeline.get(), round, {}).ok()) {
      throw std::runtime_error("The GPU does not end a run.");
    }
    best = std::max(best, work / Seconds(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

struct Push {
  float factor;
  uint32_t steps;
};

// A pipeline with one storage buffer.
class MultiplyAdd {
 public:
  MultiplyAdd(const Context& context, VkBuffer result) : device_(context.device()) {
    make_layouts();
    make_pipeline();
    bind(result);
  }

  void record(VkCommandBuffer commands, const Push& push, uint32_t groups) const {
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_.get());
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_.get(), 0, 1, &set_, 0, nullptr);
    vkCmdPushConstants(commands, layout_.get(), VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, &push);
    vkCmdDispatch(commands, groups, 1, 1);
  }

 private:
  void make_layouts() {
    const VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1,
                                               VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
    VkDescriptorSetLayoutCreateInfo set_info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    set_info.bindingCount = 1;
    set_info.pBindings = &binding;
    VkDescriptorSetLayout set_layout;
    const VkResult made = vkCreateDescriptorSetLayout(device_, &set_info, nullptr, &set_layout);
    set_layout_ = {device_, done(made, set_layout)};
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(Push)};
    VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.setLayoutCount = 1;
    info.pSetLayouts = &set_layout;
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &range;
    VkPipelineLayout layout;
    layout_ = {device_, done(vkCreatePipelineLayout(device_, &info, nullptr, &layout), layout)};
  }

  void make_pipeline() {
    VkShaderModuleCreateInfo code{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    code.codeSize = sizeof k_multiply_add;
    code.pCode = k_multiply_add;
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

  void bind(VkBuffer result) {
    const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
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
    const VkDescriptorBufferInfo buffer{result, 0, VK_WHOLE_SIZE};
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = set_;
    write.descriptorCount = 1;
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write.pBufferInfo = &buffer;
    vkUpdateDescriptorSets(device_, 1, &write, 0, nullptr);
  }

  VkDevice device_;
  nnrt::vulkan::UniqueSetLayout set_layout_;
  nnrt::vulkan::UniquePipelineLayout layout_;
  nnrt::vulkan::UniquePipeline pipeline_;
  nnrt::vulkan::UniqueDescriptorPool pool_;
  VkDescriptorSet set_ = VK_NULL_HANDLE;
};

// Ever more invocations, until a round takes long enough beside its submission.
double operations_in_a_second(Context& context) {
  constexpr uint32_t kGroup = 64, kSteps = 1000, kMaxGroups = 65536 / 4;
  constexpr double kOperationsOfAStep = 2 * 12 * 4, kLongEnough = 5e-3;
  const auto result = nnrt::vulkan::make_buffer(context, kMaxGroups * kGroup * sizeof(float),
                                                nnrt::vulkan::MemoryKind::device)
                          .value();
  const MultiplyAdd kernel(context, result.get());
  double rate = 0;
  for (uint32_t groups = 64; groups <= kMaxGroups; groups *= 4) {
    const double work = kOperationsOfAStep * kSteps * kGroup * groups;
    rate = best_rate(context, work, [&](VkCommandBuffer commands) {
      kernel.record(commands, {0.5f, kSteps}, groups);
    });
    if (work / rate > kLongEnough) break;
  }
  return rate;
}

double bytes_in_a_second(Context& context) {
  constexpr uint64_t kBytes = uint64_t{64} << 20;
  const auto from = nnrt::vulkan::make_buffer(context, kBytes, nnrt::vulkan::MemoryKind::device).value();
  const auto to = nnrt::vulkan::make_buffer(context, kBytes, nnrt::vulkan::MemoryKind::device).value();
  return best_rate(context, 2.0 * double(kBytes), [&](VkCommandBuffer commands) {
    const VkBufferCopy all{0, 0, kBytes};
    vkCmdCopyBuffer(commands, from.get(), to.get(), 1, &all);
  });
}

}  // namespace

Limits gpu_limits(const std::string& name) {
  for (const auto& device : nnrt::vulkan::find_devices()) {
    if (device->info().name != name) continue;
    const auto context = static_cast<nnrt::vulkan::VulkanDevice&>(*device).context().value();
    return {operations_in_a_second(*context), bytes_in_a_second(*context)};
  }
  return {};
}

}  // namespace bench
