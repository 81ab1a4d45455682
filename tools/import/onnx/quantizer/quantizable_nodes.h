// Finds the nodes of an ONNX model that can be quantized.
#pragma once

#include "tools/import/onnx/quantizer/float_graph.h"
#include "tools/import/quantizer/quantization_plan.h"

namespace nnrt::import::onnx {

// In graph order.
Result<std::vector<QuantizableNode>> quantizable_nodes(const FloatGraph& graph);

// The channel dimension of a weighted node's weights; empty: per-tensor.
std::optional<size_t> channel_axis(const onnx_file::NodeProto& node, size_t rank);

}  // namespace nnrt::import::onnx
