#include "backends/vulkan/tuning/dispatch_timer.h"

#include "backends/vulkan/device/alignment.h"
#include "backends/vulkan/pipeline/driver_time.h"
#include "backends/vulkan/program/vulkan_program.h"

#include <algorithm>
#include <map>
#include <utility>

namespace nnrt::vulkan {
namespace {

constexpr uint64_t kMaxBytes = uint64_t{512} << 20;

// Assigns consecutive offsets to the buffers of some dispatches; each buffer gets one offset.
class BufferPlaces {
 public:
  explicit BufferPlaces(uint64_t alignment) : alignment_(alignment) {}

  uint64_t offset_of(const Buffer& buffer, uint64_t bytes) {
    const auto [entry, is_new] = offsets_.try_emplace({buffer.space, buffer.id}, end_);
    if (is_new) end_ = (end_ + bytes + alignment_ - 1) / alignment_ * alignment_;
    return entry->second;
  }
  uint64_t bytes() const { return end_; }

 private:
  const uint64_t alignment_;
  std::map<std::pair<Buffer::Space, uint32_t>, uint64_t> offsets_;
  uint64_t end_ = 0;
};

uint64_t bytes_of(std::span<const TrialDispatch> dispatches, const DevicePlan& plan) {
  BufferPlaces places(plan.storage_alignment);
  for (const TrialDispatch& one : dispatches) {
    for (size_t i = 0; i < one.bytes.size(); ++i) places.offset_of(one.dispatch.buffers[i], one.bytes[i]);
  }
  return places.bytes();
}

std::vector<BufferBinding> bound_buffers(const TrialDispatch& one, VkBuffer memory, BufferPlaces& places) {
  std::vector<BufferBinding> bound;
  for (size_t i = 0; i < one.bytes.size(); ++i) {
    const Slice slice = i < one.dispatch.slices.size() ? one.dispatch.slices[i] : Slice{};
    const uint64_t offset = places.offset_of(one.dispatch.buffers[i], one.bytes[i]);
    bound.push_back({memory, offset + slice.offset, slice.bytes > 0 ? slice.bytes : one.bytes[i]});
  }
  return bound;
}

void wait_for_shaders(VkCommandBuffer commands) {
  VkMemoryBarrier memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  memory.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  memory.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
  constexpr VkPipelineStageFlags kStages =
      VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
  vkCmdPipelineBarrier(commands, kStages, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &memory, 0, nullptr, 0,
                       nullptr);
}

void record_dispatch(VkCommandBuffer commands, const Dispatch& dispatch, const Pipeline& pipeline,
                     VkDescriptorSet set, const Size3& groups) {
  const VkPipelineLayout layout = pipeline.shader->layout.get();
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.pipeline.get());
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
  if (dispatch.push.size() > 0) {
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, uint32_t(dispatch.push.size()),
                       dispatch.push.data());
  }
  vkCmdDispatch(commands, groups[0], groups[1], groups[2]);
  wait_for_shaders(commands);
}

}  // namespace

Status DispatchTimer::make_memory(std::span<const std::vector<TrialDispatch>> works) {
  uint64_t bytes = kVectorBytes;
  for (const auto& work : works) bytes = std::max(bytes, bytes_of(work, context_.plan()));
  if (bytes > std::min(kMaxBytes, context_.plan().max_allocation))
    return Error{Code::memory, "Measuring it would need too much memory."};
  NNRT_ASSIGN(memory_, make_buffer(context_, bytes, MemoryKind::device));
  return run_once(context_, [&](VkCommandBuffer commands) {
    vkCmdFillBuffer(commands, memory_.get(), 0, VK_WHOLE_SIZE, 0);
  });
}

Result<DispatchTimer::Work> DispatchTimer::record(std::span<const TrialDispatch> dispatches) const {
  std::vector<const Dispatch*> wanted;
  for (const TrialDispatch& one : dispatches) wanted.push_back(&one.dispatch);
  Work work;
  NNRT_ASSIGN(work.pipelines,
              context_.pipelines().get(wanted, [](const Dispatch&, const PipelinePtr&) { return Status(); }));
  const std::vector<PipelinePtr>& pipelines = work.pipelines;
  BufferPlaces places(context_.plan().storage_alignment);
  std::vector<BoundShader> bound;
  std::vector<Size3> groups;
  for (size_t i = 0; i < dispatches.size(); ++i) {
    bound.push_back({pipelines[i]->shader, bound_buffers(dispatches[i], memory_.get(), places)});
    NNRT_ASSIGN(const Size3 size, count_groups(dispatches[i].dispatch, context_.plan()));
    groups.push_back(size);
  }
  NNRT_ASSIGN(work.descriptors, make_descriptors(context_, bound));
  NNRT_ASSIGN(work.commands, record_commands(context_, 0, [&](VkCommandBuffer commands) {
                vkCmdResetQueryPool(commands, queries_.get(), 0, 2);
                wait_for_shaders(commands);  // of the previous run
                vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries_.get(), 0);
                for (uint32_t nth = 0; nth < repeats_; ++nth) {
                  for (size_t i = 0; i < dispatches.size(); ++i)
                    record_dispatch(commands, *wanted[i], *pipelines[i], work.descriptors.sets[i], groups[i]);
                }
                vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries_.get(), 1);
              }));
  return work;
}

Status DispatchTimer::prepare(std::span<const std::vector<TrialDispatch>> works, uint32_t repeats) {
  const DriverTime driver_time;
  repeats_ = repeats;
  VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = 2;
  NNRT_TRY(make(context_, vkCreateQueryPool, info, queries_, "vkCreateQueryPool"));
  NNRT_ASSIGN(timeline_, make_timeline(context_));
  NNRT_TRY(make_memory(works));
  for (const auto& work : works) {
    NNRT_ASSIGN(Work recorded, record(work));
    works_.push_back(std::move(recorded));
  }
  return {};
}

Result<double> DispatchTimer::run(size_t i) {
  NNRT_TRY(context_.submit(works_[i].commands.commands, timeline_.get(), submitted_ + 1));
  ++submitted_;
  NNRT_TRY(context_.wait(timeline_.get(), submitted_, std::nullopt));
  return elapsed();
}

Result<double> DispatchTimer::elapsed() const {
  std::array<uint64_t, 2> ticks{};
  NNRT_TRY(context_.check(
      vkGetQueryPoolResults(context_.device(), queries_.get(), 0, 2, sizeof ticks, ticks.data(),
                            sizeof(uint64_t), VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
      "vkGetQueryPoolResults"));
  return context_.plan().queue.clock.nanoseconds_between(ticks[0], ticks[1]) / 1e3 / repeats_;
}

}  // namespace nnrt::vulkan
