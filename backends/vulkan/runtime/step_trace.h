// The steps of a recording in the trace: what each is, and when it ran, from timestamp queries.
#pragma once

#include "backends/vulkan/pipeline/vk_context.h"
#include "backends/vulkan/program/vulkan_program.h"
#include "core/platform/trace.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace nnrt::vulkan {

// Device timestamps in the order in which they were written, on the host's clock. Without a calibration (read
// after them) the last is taken for the end of the wait; as a whole they are never before the submission.
std::vector<trace::Time> on_host_clock(std::span<const uint64_t> ticks, const TimestampClock& clock,
                                       const std::optional<Calibration>& calibration, trace::Time submitted,
                                       trace::Time done);

// The tensors of the caller's that the device copies before the steps and behind them.
struct EdgeCopies {
  uint32_t inputs = 0, outputs = 0;
};

class StepTrace {
 public:
  static Result<std::unique_ptr<StepTrace>> create(const Context& context, const Program& program,
                                                   const EdgeCopies& copies);
  StepTrace(UniqueQueryPool queries, std::vector<trace::Event> events)
      : queries_(std::move(queries)), events_(std::move(events)) {}

  // While recording: at the beginning, and after each step in the order of the events.
  void begin(VkCommandBuffer commands);
  void step_done(VkCommandBuffer commands);

  // To be called when the submission is done. Times that cannot be read are not in the trace.
  void report(const Context& context, trace::Time submitted, trace::Time done) const;

 private:
  void write(VkCommandBuffer commands);

  const UniqueQueryPool queries_;  // one more than there are events
  const std::vector<trace::Event> events_;
  uint32_t next_ = 0;
};

}  // namespace nnrt::vulkan
