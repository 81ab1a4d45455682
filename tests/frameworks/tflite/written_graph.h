// The graph of a written TFLite model as an interpreter would hold it.
#pragma once

#include "tests/import/tflite_writer.h"
#include "tools/plugins/tflite/compiled_partition.h"

namespace nnrt::test {

// Operators and tensors of the model's first graph; constants are lent by the model.
tflite_plugin::HostGraph host_graph_of(const format::ModelT& model);

// Collects nodes that follow each other, as an interpreter without branches does.
tflite_plugin::Preview preview_of(const tflite_plugin::HostGraph& graph, const format::ModelT& model);

// Runs one partition on the CPU: values of its inputs to values of its outputs, all FLOAT32.
std::vector<std::vector<float>> run_floats(tflite_plugin::Partition& partition,
                                           const std::vector<import::Shape>& shapes,
                                           const std::vector<std::vector<float>>& inputs);

tflite_plugin::Partition partition_on_cpu(tflite_plugin::PlannedPartition planned);

}  // namespace nnrt::test
