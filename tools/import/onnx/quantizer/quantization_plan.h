// The choice which nodes of a model are quantized, and which values with them.
#pragma once

#include "tools/import/onnx/quantizer/quantizable_nodes.h"

#include <functional>
#include <unordered_map>

namespace nnrt::import::onnx {

struct QuantizationPlan {
  std::vector<QuantizableNode> nodes;
  // Each value that is quantized, and the value whose range it has.
  std::unordered_map<std::string, std::string> sources;
};

// Chooses among the candidates those all of whose values have a range. Nodes with weights begin: others join
// where what they read is quantized already, so that nothing is quantized for the sake of a sum alone. Nodes
// that move elements join where their elements are quantized before or behind them.
QuantizationPlan plan_quantization(std::vector<QuantizableNode> candidates,
                                   const std::function<bool(const std::string&)>& has_range);

}  // namespace nnrt::import::onnx
