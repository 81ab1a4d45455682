// A segment compiled for the plan's devices.
#pragma once

#include "core/runtime/execution.h"
#include "nnapi/plan/buffers.h"
#include "nnapi/plan/compile_target.h"
#include "nnapi/plan/segment_writer.h"

#include <chrono>
#include <memory>
#include <mutex>
#include <vector>

namespace nnrt::nnapi {

// The state of one computation.
struct RunState {
  Deadline deadline;
  std::chrono::nanoseconds loop_timeout{};
  std::shared_ptr<Buffers> buffers;
  std::chrono::nanoseconds on_hardware{};
};

class PreparedSegment {
 public:
  static Result<std::shared_ptr<const PreparedSegment>> make(const Model& model, Segment segment,
                                                             const CompileTarget& target);

  size_t begin() const { return segment_.begin; }
  size_t end() const { return segment_.end; }
  // Returns whether it was compiled for such values.
  bool serves(const HostValues& values) const;
  // Adds the results to the values. They are written directly to their memory in `destinations` if it is
  // large enough.
  Status run(HostValues& values, const HostValues& destinations, RunState& state) const;

 private:
  PreparedSegment(const Model& model, Segment segment) : model_(model), segment_(std::move(segment)) {}

  Status check_indices(const HostValues& values) const;
  Status check_regions(const HostValues& values) const;
  Result<std::vector<OutputSlot>> output_slots(const HostValues& destinations, const RunState& state) const;
  Status run_graph(HostValues& values, const HostValues& destinations, RunState& state) const;
  void drop_missing_rows(HostValues& values) const;
  std::unique_ptr<Execution> take_execution() const;

  const Model& model_;  // owned by its plan
  Segment segment_;
  std::shared_ptr<const CompiledModel> compiled_;  // null if there are no nodes
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Execution>> idle_;
};

}  // namespace nnrt::nnapi
