#include "backends/vulkan/runtime/pipeline_warm_up.h"

#include "backends/vulkan/device/process_end.h"
#include "backends/vulkan/pipeline/driver_time.h"
#include "core/base/exceptions.h"

#include <vector>

namespace nnrt::vulkan {
namespace {

// Not a power of two: lavapipe compiles a variant for such buffer sizes, which models hardly ever have.
constexpr uint64_t kBufferBytes = 320;

}  // namespace

WarmUp::~WarmUp() {
  // On failure the device is lost and uses nothing any more.
  static_cast<void>(catching([&] { return finish(); }));
}

Status WarmUp::open() {
  if (timeline_.get() != VK_NULL_HANDLE) return {};
  NNRT_ASSIGN(buffer_, make_buffer(context_, kBufferBytes, MemoryKind::device));
  NNRT_ASSIGN(timeline_, make_timeline(context_));
  return {};
}

Status WarmUp::add(const Dispatch& dispatch, const PipelinePtr& pipeline) {
  const std::lock_guard lock(mutex_);
  NNRT_TRY(open());
  // Stored before submission, because work on the device cannot be abandoned if memory runs out.
  Submission& submission = submissions_.emplace_back();
  submission.pipeline = pipeline;
  const std::vector<BufferBinding> buffers(pipeline->shader->shader.bindings.size(),
                                           {buffer_.get(), 0, buffer_.bytes});
  const BoundShader bound{pipeline->shader, buffers};
  NNRT_ASSIGN(submission.descriptors, make_descriptors(context_, {&bound, 1}));
  VkMemoryBarrier between{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  between.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
  between.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
  const auto record = [&](VkCommandBuffer commands) {
    const VkPipelineLayout layout = pipeline->shader->layout.get();
    // Nothing is written, but the validation layer does not know that.
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                         0, 1, &between, 0, nullptr, 0, nullptr);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline->pipeline.get());
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1,
                            submission.descriptors.sets.data(), 0, nullptr);
    if (dispatch.push.size() > 0) {
      vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, uint32_t(dispatch.push.size()),
                         dispatch.push.data());
    }
    vkCmdDispatch(commands, 0, 0, 0);
  };
  NNRT_ASSIGN(submission.commands,
              record_commands(context_, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, record));
  NNRT_TRY(context_.submit(submission.commands.commands, timeline_.get(), submitted_ + 1));
  ++submitted_;
  return {};
}

Status WarmUp::finish() {
  const std::lock_guard lock(mutex_);
  if (submitted_ == 0) return {};
  const DriverTime driver_time;
  Status status = context_.wait(timeline_.get(), submitted_, std::nullopt);
  expect_process_end();
  submissions_.clear();
  return status;
}

}  // namespace nnrt::vulkan
