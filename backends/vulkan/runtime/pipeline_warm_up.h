// Makes drivers that compile a pipeline at its first dispatch do so before the first run.
#pragma once

#include "backends/vulkan/memory/device_buffer.h"
#include "backends/vulkan/pipeline/command_buffer.h"
#include "backends/vulkan/pipeline/descriptors.h"
#include "backends/vulkan/pipeline/pipeline_cache.h"

#include <deque>
#include <mutex>

namespace nnrt::vulkan {

// While the device is busy with it, more pipelines can be made. Thread safe.
class WarmUp {
 public:
  explicit WarmUp(Context& context) : context_(context) {}
  ~WarmUp();
  WarmUp(const WarmUp&) = delete;
  WarmUp& operator=(const WarmUp&) = delete;

  // Begins an empty dispatch.
  Status add(const Dispatch& dispatch, const PipelinePtr& pipeline);
  // Waits for all that were begun.
  Status finish();

 private:
  struct Begun {
    PipelinePtr pipeline;
    Descriptors descriptors;
    CommandBuffer commands;
  };

  Status open();

  Context& context_;
  std::mutex mutex_;
  DeviceBuffer buffer_;  // behind every binding
  UniqueSemaphore timeline_;
  uint64_t submitted_ = 0;
  std::deque<Begun> begun_;
};

}  // namespace nnrt::vulkan
