// A segment compiled for the plan's devices.
#pragma once

#include "core/device/device.h"
#include "core/runtime/compile.h"
#include "core/runtime/execution.h"
#include "nnapi/plan/execution_plan.h"
#include "nnapi/plan/segment_writer.h"

#include <chrono>
#include <memory>
#include <mutex>
#include <vector>

namespace nnrt::nnapi {

// The devices of a plan, as options for the core's compiler.
struct CompileTarget {
  Device* chosen = nullptr;
  Device* fallback = nullptr;  // null if the client chose the devices: there is no silent fallback
  CompileOptions options;
  std::string cache_directory, cache_name;  // empty: no cache
  std::shared_ptr<Device> owned;            // an auto device over the client's devices
};

Result<CompileTarget> compile_target(const Target& target, bool relaxed);

// A pool of buffers for values of runs.
class Buffers : public std::enable_shared_from_this<Buffers> {
 public:
  // A buffer of at least `bytes`. It returns to the pool when its last owner releases it.
  Result<std::shared_ptr<SharedMemory>> take(size_t bytes);

 private:
  void give_back(std::shared_ptr<SharedMemory> memory);

  std::mutex mutex_;
  std::vector<std::shared_ptr<SharedMemory>> free_;  // sorted by size
};

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
