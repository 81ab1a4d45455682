// The choice which nodes of a model are quantized, and which values with them.
#pragma once

#include "core/base/result.h"

#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace nnrt::import {

enum class NodeKind {
  weighted,  // constant weights, with a scale for each channel, and perhaps a bias
  computed,  // operands and result have ranges of their own
  moved,     // elements of the operand: the result has its range
};

// A node of a model's file; the reader of the format names its values.
struct QuantizableNode {
  int position = 0;
  NodeKind kind{};
  std::vector<std::string> operands;  // values that only a run knows
  std::vector<std::string> sources;   // those that have to be quantized before
  std::string result;                 // the activation's, if one is fused
  int activation = -1;                // the node behind that is computed with it
  size_t input_count = 0;             // the first inputs that are quantized, constants included
};

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
// The plan if all values have ranges.
QuantizationPlan plan_quantization(const std::vector<QuantizableNode>& candidates);

// Removes the candidates that shall stay floats. `is_named`: whether the node at a position has a name. Fails
// for a name that none of the `count` nodes has.
Status remove_float_nodes(const std::vector<std::string>& names, int count,
                          const std::function<bool(int position, const std::string& name)>& is_named,
                          std::vector<QuantizableNode>& candidates);

// The positions of those of `count` nodes that stay as they are.
std::vector<int> float_positions(const QuantizationPlan& plan, int count);

// The values whose ranges the plan asks for, in the order of the nodes.
std::vector<std::string> values_of(const QuantizationPlan& plan);

}  // namespace nnrt::import
