// For drivers that compile a pipeline at its first dispatch: triggers that before the first run.
#pragma once

#include "backends/vulkan/memory/device_buffer.h"
#include "backends/vulkan/pipeline/command_buffer.h"
#include "backends/vulkan/pipeline/descriptors.h"
#include "backends/vulkan/pipeline/pipeline_cache.h"

#include <deque>
#include <mutex>

namespace nnrt::vulkan {

// The device compiles while more pipelines are created. Thread safe.
class WarmUp {
 public:
  explicit WarmUp(Context& context) : context_(context) {}
  ~WarmUp();
  WarmUp(const WarmUp&) = delete;
  WarmUp& operator=(const WarmUp&) = delete;

  // Submits an empty dispatch.
  Status add(const Dispatch& dispatch, const PipelinePtr& pipeline);
  // Waits for all submitted dispatches.
  Status finish();

 private:
  struct Submission {
    PipelinePtr pipeline;
    Descriptors descriptors;
    CommandBuffer commands;
  };

  Status open();

  Context& context_;
  std::mutex mutex_;
  DeviceBuffer buffer_;  // bound to every binding
  UniqueSemaphore timeline_;
  uint64_t submitted_ = 0;
  std::deque<Submission> submissions_;
};

}  // namespace nnrt::vulkan
