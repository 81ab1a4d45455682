// Decides which nodes and values of a model are quantized.
#pragma once

#include "core/base/result.h"
#include "tools/import/quantizer/quantizable_model.h"

#include <functional>
#include <unordered_map>

namespace nnrt::import {

// Larger values are masks; nodes that read or write them stay float.
inline constexpr float kLargestMagnitude = 1e6f;

struct QuantizableNode {
  size_t position = 0;
  NodeKind kind{};
  std::vector<std::string> operands;  // non-constant inputs
  std::vector<std::string> sources;   // values that must already be quantized
  std::string result;
  size_t input_count = 0;  // the first inputs, which are quantized, including constants
};

struct QuantizationPlan {
  std::vector<QuantizableNode> nodes;
  // Maps each quantized value to the value whose range it uses.
  std::unordered_map<std::string, std::string> sources;
};

// The nodes that can be quantized, in the model's order.
std::vector<QuantizableNode> find_candidates(const QuantizableModel& model);

// Selects candidates whose values all have a range, starting from nodes with weights. Other nodes join only
// if their inputs are already quantized, so that nothing is quantized just for, say, an addition. Data
// movement joins if its elements are quantized before or after it.
QuantizationPlan plan_quantization(std::vector<QuantizableNode> candidates,
                                   const std::function<bool(const std::string&)>& has_range);
// The plan if all values have ranges.
QuantizationPlan plan_quantization(const std::vector<QuantizableNode>& candidates);

// Operators with a single scale, such as concatenations, give operands without other readers the result's
// coding, which avoids rounding twice. A fixed coding is kept.
void share_codings(QuantizationPlan& plan, const FloatGraph& graph,
                   const std::function<bool(const std::string& value)>& has_fixed_coding);

// Removes candidates that must stay float. Fails if no node has one of the names.
Status remove_float_nodes(const std::vector<std::string>& names, const FloatGraph& graph,
                          std::vector<QuantizableNode>& candidates);

// Positions of the nodes (out of `count`) left unchanged.
std::vector<size_t> float_positions(const QuantizationPlan& plan, size_t count);

// The values whose ranges the plan needs, in node order.
std::vector<std::string> values_of(const QuantizationPlan& plan);

// The number of reads of each value, by nodes and by the model's outputs.
std::unordered_map<std::string, size_t> reads_of(const FloatGraph& graph);

}  // namespace nnrt::import
