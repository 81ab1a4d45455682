// Decides which nodes of an interpreter run here.
#pragma once

#include "tools/plugins/tflite/partition_model.h"

#include <functional>

namespace nnrt::tflite_plugin {

// The partitions into which the interpreter would collect these nodes.
using Preview = std::function<Result<std::vector<Section>>(const std::vector<size_t>& nodes)>;
// Which operations of a network the device supports.
using Supports = std::function<Result<std::vector<bool>>(const import::Network& network)>;

struct PlanOptions {
  Supports supports;     // null: all operations run somewhere
  size_t min_nodes = 1;  // of a partition
};

struct PlannedPartition {
  Section section;  // as previewed
  PartitionModel model;
  import::HostedNetwork hosted;
};

// Sets the faults of nodes that cannot be converted, or that are not worth a partition. Fails only if the
// preview does.
Result<std::vector<PlannedPartition>> plan_partitions(HostGraph& graph, const Preview& preview,
                                                      const PlanOptions& options);

// The nodes without a fault.
std::vector<size_t> taken_nodes(const HostGraph& graph);

}  // namespace nnrt::tflite_plugin
