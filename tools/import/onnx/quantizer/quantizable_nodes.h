// The nodes of an ONNX model that can be computed on quantized values.
#pragma once

#include "tools/import/onnx/quantizer/float_graph.h"
#include "tools/import/quantizer/quantization_plan.h"

namespace nnrt::import::onnx {

// In the graph's order.
Result<std::vector<QuantizableNode>> quantizable_nodes(const FloatGraph& graph);

// The dimension of a weighted node's weights that has a scale for each element; empty: one scale for all.
std::optional<size_t> channel_axis(const onnx_file::NodeProto& node, size_t rank);

}  // namespace nnrt::import::onnx
