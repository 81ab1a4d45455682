// Decides which nodes of an interpreter run here.
#pragma once

#include "tools/import/tflite/tflite_reader.h"
#include "tools/plugins/tflite/host_graph.h"

#include <functional>

namespace nnrt::tflite_plugin {

// Nodes that run together, by position in HostGraph::nodes, and the tensors they exchange with others.
struct Section {
  std::vector<size_t> nodes;
  std::vector<int32_t> inputs, outputs;
};

// A section with the given nodes that reads whatever they do not write, and has no outputs.
Section section_of(const HostGraph& graph, std::vector<size_t> nodes);

// Some nodes of an interpreter's graph as a TFLite file in memory, for the importer. Constants are lent by
// the interpreter, which keeps them as long as the delegate's kernels.
class PartitionModel {
 public:
  PartitionModel(const HostGraph& graph, const Section& section);

  // The interpreter's tensors that are inputs and outputs, in order; constants are not among them.
  const std::vector<int32_t>& inputs() const { return inputs_; }
  const std::vector<int32_t>& outputs() const { return outputs_; }
  nnrt::import::Shape input_shape(size_t i) const { return input(i).shape; }
  // Another rank makes the ranks of all results unknown.
  void set_input_shape(size_t i, import::Shape shape);

  Result<import::HostedNetwork> read() const;
  Result<std::vector<import::Refusal>> refused() const;
  // Of operators, options and constants.
  uint64_t checksum() const;

 private:
  int32_t number_of(const HostGraph& graph, int32_t tensor);
  void add_node(const HostGraph& graph, const HostNode& node);
  format::TensorT& input(size_t i) const;
  void forget_ranks();
  Bytes packed() const;

  std::unique_ptr<format::ModelT> model_;
  std::vector<SharedBytes> constants_;  // by buffer number
  std::vector<int32_t> inputs_, outputs_;
  std::vector<int32_t> numbers_;  // of the interpreter's tensors in the model; -1: not there
};

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
