// Times dispatches by device timestamps.
#pragma once

#include "backends/vulkan/memory/device_buffer.h"
#include "backends/vulkan/pipeline/command_buffer.h"
#include "backends/vulkan/pipeline/descriptors.h"
#include "backends/vulkan/program/trial_lowering.h"

#include <span>
#include <vector>

namespace nnrt::vulkan {

// Runs dispatches one after the other on private, zero-initialized memory.
class DispatchTimer {
 public:
  explicit DispatchTimer(Context& context) : context_(context) {}

  // Creates pipelines, memory and commands for all works; each runs `repeats` times in a row. Call once.
  // Fails if the memory would be too much for a measurement.
  Status prepare(std::span<const std::vector<TrialDispatch>> works, uint32_t repeats);

  // Runs work `i` and returns its time in microseconds.
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
  UniqueQueryPool queries_;  // two: before and after
  UniqueSemaphore timeline_;
  uint64_t submitted_ = 0;
  std::vector<Work> works_;
};

}  // namespace nnrt::vulkan
