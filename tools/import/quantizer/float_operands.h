// Which operands of a node of a float model can be quantized.
#pragma once

#include "tools/import/quantizer/model_quantizer.h"
#include "tools/import/quantizer/quantization_plan.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace nnrt::import {

// Excludes masks: their magnitudes would leave one code for all other values.
template <typename Model, typename Number>
bool is_float_constant(const Model& model, Number tensor) {
  if (!model.is_float(tensor) || !model.is_constant(tensor)) return false;
  return std::ranges::all_of(model.floats(tensor).values,
                             [](float value) { return std::abs(value) < kLargestMagnitude; });
}

// Returns false if one of the operands cannot be quantized, or if all are constants.
template <typename Model, typename Numbers>
bool add_float_operands(const Model& model, const Numbers& operands, QuantizableNode& node) {
  for (const auto operand : operands) {
    if (!model.is_float(operand)) return false;
    if (!model.is_constant(operand)) {
      node.operands.push_back(std::to_string(operand));
    } else if (!is_float_constant(model, operand)) {
      return false;
    }
  }
  node.sources = node.operands;
  return !node.operands.empty();
}

}  // namespace nnrt::import
