// Decides which nodes and values of a model are quantized.
#pragma once

#include "core/base/result.h"
#include "tools/import/quantizer/quantizable_model.h"

#include <functional>
#include <map>

namespace nnrt::import {

// Larger values are masks; nodes that read or write them stay float.
inline constexpr float kLargestMagnitude = 1e6f;

struct QuantizableNode {
  size_t position = 0;
  NodeKind kind{};
  std::vector<TensorId> operands;  // non-constant inputs
  std::vector<TensorId> sources;   // values that must already be quantized
  TensorId result = 0;
  size_t input_count = 0;  // the first inputs, which are quantized, including constants
};

struct QuantizationPlan {
  std::vector<QuantizableNode> nodes;
  // Maps each quantized value to the value whose range it uses.
  std::map<TensorId, TensorId> sources;
};

// The nodes that can be quantized, in the model's order.
std::vector<QuantizableNode> find_candidates(const QuantizableModel& model);

// Selects candidates whose values all have a range, starting from nodes with weights. Other nodes join only
// if their inputs are already quantized, so that nothing is quantized just for, say, an addition. Data
// movement joins if its elements are quantized before or after it.
QuantizationPlan plan_quantization(std::vector<QuantizableNode> candidates,
                                   const std::function<bool(TensorId)>& has_range);
// The plan if all values have ranges.
QuantizationPlan plan_quantization(const std::vector<QuantizableNode>& candidates);

// Operators with a single scale, such as concatenations, give operands without other readers the result's
// coding, which avoids rounding twice. A fixed coding is kept.
void share_codings(QuantizationPlan& plan, const QuantizableModel& model,
                   const std::function<bool(TensorId value)>& has_fixed_coding);

// Removes candidates that must stay float. Fails if no node has one of the names.
Status remove_float_nodes(const std::vector<std::string>& names, const QuantizableModel& model,
                          std::vector<QuantizableNode>& candidates);

// The values whose ranges the plan needs, in node order.
std::vector<TensorId> values_of(const QuantizationPlan& plan);

}  // namespace nnrt::import
