#include "backends/vulkan/memory/resident_copy.h"

#include "backends/vulkan/device/alignment.h"
#include "backends/vulkan/pipeline/command_buffer.h"
#include "core/platform/counters.h"

#include <algorithm>
#include <cstring>

namespace nnrt::vulkan {
namespace {

constexpr uint64_t kStagingBytes = uint64_t{16} << 20;
constexpr VkPipelineStageFlags kAnyStage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;

void copy(VkCommandBuffer commands, VkBuffer from, VkBuffer to, const VkBufferCopy& piece) {
  vkCmdCopyBuffer(commands, from, to, 1, &piece);
}

void barrier(VkCommandBuffer commands, VkPipelineStageFlags from, VkAccessFlags written,
             VkPipelineStageFlags to, VkAccessFlags wanted) {
  VkMemoryBarrier memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  memory.srcAccessMask = written;
  memory.dstAccessMask = wanted;
  vkCmdPipelineBarrier(commands, from, to, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

// Splits the tensor into pieces that fit the staging buffer.
template <typename Move>
Status in_pieces(const TensorView& tensor, const DeviceBuffer& staging, const Move& move) {
  for (uint64_t done = 0; done < tensor.bytes;) {
    const uint64_t now = std::min<uint64_t>(tensor.bytes - done, staging.bytes);
    NNRT_TRY(move(done, now));
    done += now;
  }
  count_copied(tensor.bytes);
  return {};
}

Result<DeviceBuffer> staging_for(const Context& context, const TensorView& tensor) {
  return make_buffer(context, std::min<uint64_t>(std::max<uint64_t>(tensor.bytes, 1), kStagingBytes),
                     MemoryKind::staging);
}

// Needs no barrier at the end: later runs begin with one.
Status upload(Context& context, const TensorView& tensor, const DeviceBuffer& to) {
  NNRT_ASSIGN(const DeviceBuffer staging, staging_for(context, tensor));
  return in_pieces(tensor, staging, [&](uint64_t offset, uint64_t bytes) {
    std::memcpy(staging.mapped, tensor.data() + offset, bytes);
    return run_once(context, [&](VkCommandBuffer commands) {
      copy(commands, staging.get(), to.get(), {0, offset, bytes});
    });
  });
}

}  // namespace

Status ResidentCopy::read_back(const TensorView& tensor) const {
  if (context->lost()) return Error{Code::unavailable_device, "The device that holds the tensor is lost."};
  NNRT_ASSIGN(const DeviceBuffer staging, staging_for(*context, tensor));
  return in_pieces(tensor, staging, [&](uint64_t offset, uint64_t bytes) -> Status {
    NNRT_TRY(run_once(*context, [&](VkCommandBuffer commands) {
      barrier(commands, kAnyStage, VK_ACCESS_MEMORY_WRITE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
              VK_ACCESS_TRANSFER_READ_BIT);
      copy(commands, buffer.get(), staging.get(), {offset, 0, bytes});
      barrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
              VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    }));
    std::memcpy(tensor.data() + offset, staging.mapped, bytes);
    return {};
  });
}

Result<std::shared_ptr<const ResidentCopy>> resident_copy(const ContextPtr& context, Residence& residence) {
  const auto make = [&](const TensorView& tensor) -> Result<Residence::CopyPtr> {
    auto made = std::make_shared<ResidentCopy>(context);
    NNRT_ASSIGN(made->buffer, make_buffer(*context, whole_vectors(tensor.bytes), MemoryKind::device));
    NNRT_TRY(upload(*context, tensor, made->buffer));
    return Residence::CopyPtr(std::move(made));
  };
  NNRT_ASSIGN(Residence::CopyPtr copy, residence.copy_of(context.get(), make));
  return std::static_pointer_cast<const ResidentCopy>(std::move(copy));
}

}  // namespace nnrt::vulkan
