// Decides which nodes and values of a model are quantized.
#pragma once

#include "core/base/result.h"

#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace nnrt::import {

enum class NodeKind {
  weighted,  // constant weights with per-channel scales, and optionally a bias
  computed,  // operands and result have their own ranges
  moved,     // data movement: the result shares the operand's range
};

// A node of the model file, with value names from the format's reader.
struct QuantizableNode {
  int position = 0;
  NodeKind kind{};
  std::vector<std::string> operands;  // non-constant inputs
  std::vector<std::string> sources;   // values that must already be quantized
  std::string result;                 // of the activation, if one is fused
  int activation = -1;                // the fused activation node
  size_t input_count = 0;             // leading inputs to quantize, including constants
};

struct QuantizationPlan {
  std::vector<QuantizableNode> nodes;
  // Maps each quantized value to the value whose range it uses.
  std::unordered_map<std::string, std::string> sources;
};

// Selects candidates whose values all have a range, starting from nodes with weights. Other nodes join only
// if their inputs are already quantized, so that nothing is quantized just for, say, an addition. Data
// movement joins if its elements are quantized before or after it.
QuantizationPlan plan_quantization(std::vector<QuantizableNode> candidates,
                                   const std::function<bool(const std::string&)>& has_range);
// The plan if all values have ranges.
QuantizationPlan plan_quantization(const std::vector<QuantizableNode>& candidates);

// Operators with a single scale, such as concatenations, give operands without other readers the result's
// coding, which avoids rounding twice. `reads` counts the readers of each value; a fixed coding is kept.
void share_codings(QuantizationPlan& plan, const std::unordered_map<std::string, size_t>& reads,
                   const std::function<bool(int position)>& has_one_scale,
                   const std::function<bool(const std::string& value)>& has_fixed_coding);

// Removes candidates that must stay float. `is_named` tests whether a node matches a name. Fails if a name
// matches none of the `count` nodes.
Status remove_float_nodes(const std::vector<std::string>& names, int count,
                          const std::function<bool(int position, const std::string& name)>& is_named,
                          std::vector<QuantizableNode>& candidates);

// Positions of the nodes (out of `count`) left unchanged.
std::vector<int> float_positions(const QuantizationPlan& plan, int count);

// The values whose ranges the plan needs, in node order.
std::vector<std::string> values_of(const QuantizationPlan& plan);

}  // namespace nnrt::import
