#include "tools/import/tflite/quantizer/tflite_quantizable.h"

#include "tools/import/quantizer/float_operands.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

namespace nnrt::import::tflite {
namespace {

using enum format::BuiltinOperator;
using enum NodeKind;
using format::Activation;

constexpr Int8Coding kShares{1.0f / 256, -128}, kSigned{1.0f / 128, 0};

constexpr std::array kOperators{
    Int8Operator{ADD, computed, 2, 2},
    Int8Operator{AVERAGE_POOL_2D, moved, 2},
    Int8Operator{BATCH_TO_SPACE_ND, moved, 2},
    Int8Operator{CONCATENATION, computed, 2, 0, true},
    Int8Operator{CONV_2D, weighted, 3},
    Int8Operator{DEPTHWISE_CONV_2D, weighted, 3, 1, false, 0, 3},
    Int8Operator{DEPTH_TO_SPACE, moved, 1},
    Int8Operator{EXPAND_DIMS, moved, 1},
    Int8Operator{FULLY_CONNECTED, weighted, 4},
    Int8Operator{GATHER, moved, 2},
    Int8Operator{HARD_SWISH, computed, 1},
    Int8Operator{LOGISTIC, computed, 2, 1, false, 0, 0, kShares},
    Int8Operator{MAXIMUM, computed, 2, 2, true},
    Int8Operator{MAX_POOL_2D, moved, 2},
    Int8Operator{MEAN, computed, 2},
    Int8Operator{MINIMUM, computed, 2, 2, true},
    Int8Operator{MIRROR_PAD, moved, 2},
    Int8Operator{MUL, computed, 3, 2},
    Int8Operator{PACK, computed, 2, 0, true},
    Int8Operator{PAD, moved, 2},
    Int8Operator{RELU, computed, 2},
    Int8Operator{RELU6, computed, 2},
    Int8Operator{RESHAPE, moved, 1},
    Int8Operator{RESIZE_BILINEAR, moved, 2},
    Int8Operator{RESIZE_NEAREST_NEIGHBOR, moved, 2},
    Int8Operator{SLICE, moved, 2},
    Int8Operator{SOFTMAX, computed, 2, 1, false, 0, 0, kShares},
    Int8Operator{SPACE_TO_BATCH_ND, moved, 2},
    Int8Operator{SPACE_TO_DEPTH, moved, 2},
    Int8Operator{SQUEEZE, moved, 1},
    Int8Operator{STRIDED_SLICE, moved, 2},
    Int8Operator{SUB, computed, 2, 2},
    Int8Operator{TANH, computed, 2, 1, false, 0, 0, kSigned},
    Int8Operator{TILE, moved, 2},
    Int8Operator{TRANSPOSE, moved, 2},
    Int8Operator{TRANSPOSE_CONV, weighted, 3, 1, false, 2},
};

Activation activation_of(const format::BuiltinOptionsUnion& options) {
  if (const auto* it = options.AsConv2DOptions()) return it->activation;
  if (const auto* it = options.AsDepthwiseConv2DOptions()) return it->activation;
  if (const auto* it = options.AsTransposeConvOptions()) return it->activation;
  if (const auto* it = options.AsFullyConnectedOptions()) return it->activation;
  if (const auto* it = options.AsPool2DOptions()) return it->activation;
  if (const auto* it = options.AsConcatenationOptions()) return it->activation;
  if (const auto* it = options.AsAddOptions()) return it->activation;
  if (const auto* it = options.AsSubOptions()) return it->activation;
  if (const auto* it = options.AsMulOptions()) return it->activation;
  return Activation::NONE;
}

class Finder {
 public:
  explicit Finder(const FloatModel& model) : model_(model) {
    outputs_.insert(model.graph().outputs.begin(), model.graph().outputs.end());
    for (const auto& op : model.graph().operators) {
      if (model.code_of(*op) == SQUARED_DIFFERENCE) normalized_.insert(op->inputs.begin(), op->inputs.end());
    }
  }

  std::optional<QuantizableNode> find(size_t position) const {
    const format::OperatorT& op = model_.operator_at(position);
    const Int8Operator* const row = find_int8_operator(model_.code_of(op));
    if (row == nullptr || op.outputs.size() != 1 || !is_possible(*row, op)) return {};
    if (row->kind == weighted && !has_weights(*row, op)) return {};
    QuantizableNode found;
    found.position = static_cast<int>(position);
    found.kind = row->kind;
    found.input_count = row->operands == 0 ? op.inputs.size() : row->operands;
    found.result = value_name(op.outputs[0]);
    return add_operands(*row, op, found) ? std::optional(found) : std::nullopt;
  }

 private:
  bool is_possible(const Int8Operator& row, const format::OperatorT& op) const {
    const int32_t result = op.outputs[0];
    const Activation activation = activation_of(op.builtin_options);
    if (activation != Activation::NONE && activation != Activation::RELU && activation != Activation::RELU6)
      return false;
    if (!model_.is_float(result) || model_.tensor(result).is_variable) return false;
    // Class scores stay float for accuracy.
    if (row.code == SOFTMAX || row.code == LOGISTIC) return !outputs_.contains(result);
    // A few channels before a norm are large, so a per-tensor scale is a poor fit.
    if (row.code == ADD || row.code == CONCATENATION) return !normalized_.contains(result);
    const auto* product = op.builtin_options.AsFullyConnectedOptions();
    return product == nullptr || product->weights_format == 0;
  }

  bool has_weights(const Int8Operator& row, const format::OperatorT& op) const {
    if (op.inputs.size() <= kWeights || !is_float_constant(model_, op.inputs[kWeights])) return false;
    const std::vector<int32_t>& shape = model_.tensor(op.inputs[kWeights]).shape;
    if (shape.size() != (row.code == FULLY_CONNECTED ? 2 : 4)) return false;
    const size_t at = bias_input(row);
    if (at >= op.inputs.size() || op.inputs[at] < 0) return true;
    return is_float_constant(model_, op.inputs[at]) &&
           model_.tensor(op.inputs[at]).shape == std::vector<int32_t>{shape[row.channel_axis]};
  }

  bool add_operands(const Int8Operator& row, const format::OperatorT& op, QuantizableNode& found) const {
    if (row.first + found.input_count > op.inputs.size()) return false;
    const auto operands = std::span(op.inputs).subspan(row.first, found.input_count);
    const auto is_variable = [&](int32_t operand) {
      return model_.is_float(operand) && model_.tensor(operand).is_variable;
    };
    return std::ranges::none_of(operands, is_variable) && add_float_operands(model_, operands, found);
  }

  const FloatModel& model_;
  std::unordered_set<int32_t> outputs_;
  std::unordered_set<int32_t> normalized_;  // values read by written-out norms
};

}  // namespace

const Int8Operator* find_int8_operator(format::BuiltinOperator code) {
  const auto found = std::ranges::find(kOperators, code, &Int8Operator::code);
  return found == kOperators.end() ? nullptr : &*found;
}

std::string value_name(int32_t tensor) { return std::to_string(tensor); }

int32_t tensor_of(const std::string& value) {
  int32_t number = -1;
  std::from_chars(value.data(), value.data() + value.size(), number);
  return number;
}

std::vector<QuantizableNode> quantizable_operators(const FloatModel& model) {
  const Finder finder(model);
  std::vector<QuantizableNode> found;
  for (size_t i = 0; i < model.operator_count(); ++i) {
    if (auto node = finder.find(i)) found.push_back(*std::move(node));
  }
  return found;
}

}  // namespace nnrt::import::tflite
