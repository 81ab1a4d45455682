#include "backends/vulkan/memory/device_buffer.h"
#include "backends/vulkan/pipeline/command_buffer.h"
#include "backends/vulkan/runtime/vulkan_device.h"
#include "backends/vulkan/runtime/vulkan_devices.h"
#include "copy_vectors.h"
#include "device_limits/device_limits.h"
#include "device_limits/limit_kernel.h"
#include "multiply_add.h"
#include "read_vectors.h"

#include <algorithm>
#include <chrono>
#include <functional>

namespace bench {
namespace {

using namespace nnrt::vulkan;  // Vulkan's functions too
using Record = std::function<void(VkCommandBuffer)>;
using Seconds = std::chrono::duration<double>;

constexpr uint32_t kGroup = 64;  // workgroup size of each shader
constexpr uint64_t kVector = 16;
constexpr uint32_t kReads = 16;  // reads per invocation of read_vectors

// Barrier between commands, as between the steps of a model.
void separate(VkCommandBuffer commands) {
  constexpr VkPipelineStageFlags kStages =
      VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
  VkMemoryBarrier all{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  all.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  all.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  vkCmdPipelineBarrier(commands, kStages, kStages, 0, 1, &all, 0, nullptr, 0, nullptr);
}

nnrt::vulkan::UniqueQueryPool make_queries(const Context& context) {
  VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = 2;
  VkQueryPool pool;
  const VkResult made = vkCreateQueryPool(context.device(), &info, nullptr, &pool);
  return {context.device(), done(made, pool)};
}

double seconds_between(const Context& context, VkQueryPool queries) {
  uint64_t ticks[2];
  done(vkGetQueryPoolResults(context.device(), queries, 0, 2, sizeof ticks, ticks, sizeof(uint64_t),
                             VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
       queries);
  return context.plan().queue.clock.nanoseconds_between(ticks[0], ticks[1]) * 1e-9;
}

// The best of several submissions with `repeats` times the work: seconds per repeat, by device timestamps or,
// without them, by the host clock.
double best_seconds(Context& context, int repeats, const Record& record) {
  const bool timestamps = context.plan().queue.clock.valid_bits > 0;
  const nnrt::vulkan::UniqueQueryPool queries = make_queries(context);
  const auto stamp = [&](VkCommandBuffer commands, uint32_t i) {
    vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries.get(), i);
  };
  const auto recorded = nnrt::vulkan::record_commands(context, 0, [&](VkCommandBuffer commands) {
    if (timestamps) vkCmdResetQueryPool(commands, queries.get(), 0, 2);
    if (timestamps) stamp(commands, 0);
    for (int i = 0; i < repeats; ++i) {
      record(commands);
      separate(commands);
    }
    if (timestamps) stamp(commands, 1);
  });
  const auto timeline = nnrt::vulkan::make_timeline(context).value();
  double best = 1e9;
  for (uint64_t round = 1; round <= 7; ++round) {
    const auto start = std::chrono::steady_clock::now();
    if (!context.submit(recorded.value().commands, timeline.get(), round).ok() ||
        !context.wait(timeline.get(), round, {}).ok()) {
      throw std::runtime_error("The GPU does not end a run.");
    }
    const double waited = Seconds(std::chrono::steady_clock::now() - start).count();
    best = std::min(best, timestamps ? seconds_between(context, queries.get()) : waited);
  }
  return best / repeats;
}

// Increases the number of invocations until a round takes long compared with its submission.
double operations_in_a_second(Context& context) {
  constexpr uint32_t kSteps = 1000, kMaxGroups = 65536 / 4;
  constexpr double kOperationsOfAStep = 2 * 12 * 4, kLongEnough = 5e-3;
  const auto result =
      nnrt::vulkan::make_buffer(context, kMaxGroups * kGroup * kVector, nnrt::vulkan::MemoryKind::device)
          .value();
  const LimitKernel kernel(context, k_multiply_add, result.get(), result.get());
  double rate = 0;
  for (uint32_t groups = 64; groups <= kMaxGroups; groups *= 4) {
    const double seconds = best_seconds(context, 1, [&](VkCommandBuffer commands) {
      kernel.record(commands, {0.5f, kSteps}, groups);
    });
    rate = std::max(rate, kOperationsOfAStep * kSteps * kGroup * groups / seconds);
    if (seconds > kLongEnough) break;
  }
  return rate;
}

struct TwoBuffers {
  DeviceBuffer from, to;
};

// 1 GiB each, four times the largest GPU caches, or as much as the device permits. A software driver runs
// from CPU caches and is slow, so it gets less.
TwoBuffers make_large_buffers(const Context& context) {
  const nnrt::vulkan::DevicePlan& plan = context.plan();
  uint64_t bytes = plan.is_software ? uint64_t{128} << 20 : uint64_t{1} << 30;
  while (bytes > plan.max_storage_range || bytes > plan.max_allocation) bytes /= 2;
  for (; bytes >= uint64_t{1} << 20; bytes /= 2) {
    auto from = nnrt::vulkan::make_buffer(context, bytes, nnrt::vulkan::MemoryKind::device);
    auto to = nnrt::vulkan::make_buffer(context, bytes, nnrt::vulkan::MemoryKind::device);
    if (from.ok() && to.ok()) return {std::move(from).value(), std::move(to).value()};
  }
  throw std::runtime_error("The GPU has no memory for the bench.");
}

// The faster of the driver's copy and a shader.
void measure_bytes(Context& context, Limits& limits) {
  const TwoBuffers buffers = make_large_buffers(context);
  const VkBuffer from = buffers.from.get(), to = buffers.to.get();
  const uint64_t bytes = buffers.from.bytes;
  const int repeats = context.plan().is_software ? 1 : 8;
  const auto filled = nnrt::vulkan::run_once(context, [&](VkCommandBuffer commands) {
    for (const VkBuffer buffer : {from, to}) vkCmdFillBuffer(commands, buffer, 0, VK_WHOLE_SIZE, 0);
  });
  if (!filled.ok()) throw std::runtime_error(filled.error().message);
  const LimitKernel copy(context, k_copy_vectors, from, to), read(context, k_read_vectors, from, to);
  const auto groups = uint32_t(bytes / kVector / kGroup);
  const double by_driver = best_seconds(context, repeats, [&](VkCommandBuffer commands) {
    const VkBufferCopy all{0, 0, bytes};
    vkCmdCopyBuffer(commands, from, to, 1, &all);
  });
  double seconds = by_driver;
  if (groups <= context.plan().max_group_count[0]) {
    seconds = std::min(seconds, best_seconds(context, repeats, [&](VkCommandBuffer commands) {
                         copy.record(commands, {0, 0}, groups);
                       }));
  }
  limits.copied = 2.0 * double(bytes) / seconds;
  limits.read = double(bytes) / best_seconds(context, repeats, [&](VkCommandBuffer commands) {
                  read.record(commands, {1e30f, groups * kGroup / kReads}, groups / kReads);
                });
}

std::shared_ptr<nnrt::vulkan::VulkanDevice> find_gpu(const std::string& name) {
  for (const auto& device : nnrt::vulkan::find_devices()) {
    if (device->info().name == name) return std::static_pointer_cast<nnrt::vulkan::VulkanDevice>(device);
  }
  return nullptr;
}

}  // namespace

Limits gpu_limits(const std::string& name) {
  const auto device = find_gpu(name);
  if (device == nullptr) return {};
  const auto context = device->context().value();
  Limits limits;
  limits.operations = operations_in_a_second(*context);
  measure_bytes(*context, limits);
  return limits;
}

bool is_software_gpu(const std::string& name) {
  const auto device = find_gpu(name);
  return device != nullptr && device->plan().is_software;
}

}  // namespace bench
