// Times of dispatches by the device's own clock.
#pragma once

#include "backends/vulkan/memory/device_buffer.h"
#include "backends/vulkan/pipeline/command_buffer.h"
#include "backends/vulkan/pipeline/descriptors.h"
#include "backends/vulkan/program/trial_lowering.h"

#include <span>
#include <vector>

namespace nnrt::vulkan {

// Dispatches that run one after the other, over memory that nobody else uses and that is zero at first.
class DispatchTimer {
 public:
  explicit DispatchTimer(Context& context) : context_(context) {}

  // Makes pipelines, memory and commands for pieces of work, each of which runs `repeats` times in a row.
  // Called once. Fails where the memory would be more than a measurement is worth.
  Status prepare(std::span<const std::vector<TrialDispatch>> works, uint32_t repeats);

  // The microseconds that piece `i` takes now.
  Result<double> run(size_t i);

 private:
  struct Work {
    std::vector<PipelinePtr> pipelines;
    Descriptors descriptors;
    CommandBuffer commands;
  };

  Status make_memory(std::span<const std::vector<TrialDispatch>> works);
  Result<Work> record(std::span<const TrialDispatch> dispatches) const;
  Result<double> elapsed() const;

  Context& context_;
  uint32_t repeats_ = 1;
  DeviceBuffer memory_;
  UniqueQueryPool queries_;  // two: before and behind
  UniqueSemaphore timeline_;
  uint64_t submitted_ = 0;
  std::vector<Work> works_;
};

}  // namespace nnrt::vulkan
