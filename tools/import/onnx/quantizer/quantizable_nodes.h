// The nodes of an ONNX model that can be computed on quantized values.
#pragma once

#include "tools/import/onnx/quantizer/float_graph.h"

namespace nnrt::import::onnx {

enum class NodeKind {
  weighted,  // constant weights, with a scale for each channel, and perhaps a bias
  computed,  // operands and result have ranges of their own
  moved,     // elements of the operand: the result has its range
};

struct QuantizableNode {
  int position = 0;
  NodeKind kind{};
  std::vector<std::string> operands;  // values that only a run knows
  std::vector<std::string> sources;   // those that have to be quantized before
  std::string result;                 // of the activation, where one is fused
  int activation = -1;                // the node behind that is computed with it
  size_t input_count = 0;             // the first inputs that are quantized, constants included
};

// In the graph's order.
Result<std::vector<QuantizableNode>> quantizable_nodes(const FloatGraph& graph);

// The dimension of a weighted node's weights that has a scale for each element; empty: one scale for all.
std::optional<size_t> channel_axis(const onnx_file::NodeProto& node, size_t rank);

}  // namespace nnrt::import::onnx
