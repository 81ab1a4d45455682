// Compiles a finished graph: diagnosis, normalization, partitioning, and preparation on each device.
#pragma once

#include "core/device/device.h"
#include "core/placement/partition.h"
#include "core/placement/schedule.h"

#include <memory>
#include <string>
#include <vector>

namespace nnrt {

struct PlacedNode {
  uint32_t position = 0;  // index among the client's operations
  Op op{};
  std::string device;  // name
  std::string reason;  // why it is not on the chosen device; empty if it is
};

// Whether a compiled model keeps the data of its graphs' constants, which caches and reports need. Otherwise
// it is for_runs() only, and each constant is freed as soon as its device has packed it, if the caller holds
// no reference to the graph.
enum class ModelData : uint8_t { kept, released };

class CompiledModel {
 public:
  struct Partition {
    std::shared_ptr<PreparedModel> model;
    Device* device = nullptr;
    std::vector<NodeId> nodes;  // in the lowered graph
    std::vector<TensorId> inputs, outputs;
  };

  GraphPtr graph;    // the client's
  GraphPtr lowered;  // used by partitions; the client's tensors keep their numbers
  std::vector<Partition> partitions;
  std::vector<PlacedNode> placement;  // in the client's order
  Device* device = nullptr;           // the chosen one
  bool float16 = false;               // as it was compiled
  bool short_of_memory =
      false;  // a partition uses the fallback for lack of memory; a later build may not need it
  Priority priority = Priority::none;
  std::vector<PassChoice> passes;  // over the complete graph; empty: restored from a cache
  bool overlaps = false;           // running partitions of different devices in parallel pays off
  std::string choice;              // from the auto device: expected times, in one sentence

  // A copy for runs only: without the constants' data, which only a cache needs.
  Result<std::shared_ptr<const CompiledModel>> for_runs() const;

  // True: results too large for an output are truncated instead of refused (drivers in upstream mode).
  bool cuts_results() const;

  std::vector<ScheduledPartition> scheduled_partitions() const;  // one per partition
  // A table for users: where each operation runs and why, its kernel and the declined ones; followed by the
  // skipped passes and the choice.
  std::string placement_table() const;
  // The same and more as JSON: docs/trace.md.
  std::string placement_json() const;
};

// invalid_parameter or unsupported: an invalid node. failed: an operator that no allowed device runs, or that
// the only allowed plugin refused, or a device that failed to prepare. The message names operators and
// reasons. The fallback runs partitions for which the chosen device is out of memory, now or in a run. A
// device with members does not run anything itself; its members do, by cost.
Result<std::shared_ptr<const CompiledModel>> compile(GraphPtr graph, Device& chosen, Device* fallback,
                                                     const CompileOptions& options,
                                                     ModelData data = ModelData::kept);

// The graph as passed to devices, in their layout.
Result<GraphPtr> normalized(const GraphPtr& graph);

}  // namespace nnrt
