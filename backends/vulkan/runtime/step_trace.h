// Traces the steps of a recording with times from timestamp queries.
#pragma once

#include "backends/vulkan/pipeline/vk_context.h"
#include "backends/vulkan/program/vulkan_program.h"
#include "core/platform/trace.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace nnrt::vulkan {

// Converts device timestamps, in the order written, to the host's clock. Without a calibration (taken after
// them), the last one is assumed to be at the end of the wait. They are shifted so that none is before the
// submission.
std::vector<trace::Time> on_host_clock(std::span<const uint64_t> ticks, const TimestampClock& clock,
                                       const std::optional<Calibration>& calibration, trace::Time submitted,
                                       trace::Time done);

// The number of caller tensors that the device copies before and after the steps.
struct EdgeCopies {
  uint32_t inputs = 0, outputs = 0;
};

class StepTrace {
 public:
  static Result<std::unique_ptr<StepTrace>> create(const Context& context, const Program& program,
                                                   const EdgeCopies& copies);
  StepTrace(UniqueQueryPool queries, std::vector<trace::Event> events)
      : queries_(std::move(queries)), events_(std::move(events)) {}

  // While recording: once at the beginning, then after each step in the order of the events.
  void begin(VkCommandBuffer commands);
  void step_done(VkCommandBuffer commands);

  // Call after the submission is done. Steps whose times cannot be read are not traced.
  void report(const Context& context, trace::Time submitted, trace::Time done) const;

 private:
  void write(VkCommandBuffer commands);

  const UniqueQueryPool queries_;  // one more than the events
  const std::vector<trace::Event> events_;
  uint32_t next_ = 0;
};

}  // namespace nnrt::vulkan
