// From a finished graph to something that runs: diagnosis, normalization, partition, preparation on each
// device.
#pragma once

#include "core/device/device.h"
#include "core/placement/partition.h"
#include "core/placement/run_watch.h"
#include "core/placement/schedule.h"

#include <memory>
#include <string>
#include <vector>

namespace nnrt {

struct PlacedNode {
  uint32_t position = 0;  // among the client's operations
  Op op{};
  std::string device;  // name
  std::string reason;  // says why not on the chosen device; empty where it is there
};

class CompiledModel {
 public:
  struct Partition {
    std::shared_ptr<PreparedModel> model;
    Device* device = nullptr;
    std::vector<NodeId> nodes;  // in the lowered graph
    std::vector<TensorId> inputs, outputs;
    std::shared_ptr<RunWatch> watch{};  // null: nobody asks how long runs take
  };

  GraphPtr graph;    // as the client made it
  GraphPtr lowered;  // gives the steps' tensor numbers their meaning; the client's tensors keep their numbers
  std::vector<Partition> partitions;
  std::vector<PlacedNode> placement;  // in the client's order
  Device* device = nullptr;           // the chosen one
  bool float16 = false;               // as it was compiled
  bool short_of_memory = false;       // a part is on the fallback for that reason; next time it may not be
  Priority priority = Priority::none;
  std::vector<PassChoice> passes;  // over the whole graph; empty: it was restored from a cache
  bool overlaps = false;           // steps of different devices are worth running at the same time
  std::string choice;              // from a device that chooses among others: its expectation, in a sentence

  // The same steps for runs alone: without the data of constants, which only making a cache of the model
  // needs.
  Result<std::shared_ptr<const CompiledModel>> for_runs() const;

  // True: a run leaves out what an output has no room for, instead of refusing: drivers in upstream mode.
  bool cuts_results() const;

  std::vector<ScheduledPartition> scheduled_partitions() const;  // the steps
  // A table for people: where each operation runs and why, how it is computed and why not otherwise; below it
  // the passes that did not run, and the choice.
  std::string placement_table() const;
  // The same and more for programs: docs/trace.md.
  std::string placement_json() const;
};

// invalid_parameter or unsupported: a node that makes no sense. failed: an operator that no allowed device
// runs, or that a plugin refused which is the only one allowed, or a device that could not prepare. The
// message names operators and reasons. The fallback runs parts for which the chosen device has no memory, now
// or in a run. A device with members runs nothing: they do, by costs.
Result<std::shared_ptr<const CompiledModel>> compile(const GraphPtr& graph, Device& chosen, Device* fallback,
                                                     const CompileOptions& options);

// The graph as devices see it, with the layout that they compute in.
Result<GraphPtr> normalized(const GraphPtr& graph);

}  // namespace nnrt
