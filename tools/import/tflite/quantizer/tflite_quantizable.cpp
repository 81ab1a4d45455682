#include "tools/import/tflite/quantizer/tflite_quantizable.h"

#include "tools/import/network/layers.h"
#include "tools/import/quantizer/int8_rewriter.h"

#include <algorithm>
#include <array>

namespace nnrt::import::tflite {
namespace {

using enum format::BuiltinOperator;
using enum NodeKind;
using format::Activation;

constexpr Int8Form kScores{.kind = computed, .coding = kFractions, .gives_scores = true};

constexpr std::array kOperators{
    Int8Operator{ADD, 2, {.kind = computed, .operands = 2, .joins_streams = true}},
    Int8Operator{AVERAGE_POOL_2D, 2, {moved}},
    Int8Operator{BATCH_TO_SPACE_ND, 2, {moved}},
    Int8Operator{
        CONCATENATION, 2, {.kind = computed, .operands = 0, .has_one_scale = true, .joins_streams = true}},
    Int8Operator{CONV_2D, 3, {weighted}},
    Int8Operator{DEPTHWISE_CONV_2D, 3, {weighted}},
    Int8Operator{DEPTH_TO_SPACE, 1, {moved}},
    Int8Operator{EXPAND_DIMS, 1, {moved}},
    Int8Operator{FULLY_CONNECTED, 4, {weighted}},
    Int8Operator{GATHER, 2, {moved}},
    Int8Operator{HARD_SWISH, 1, {computed}},
    Int8Operator{LOGISTIC, 2, kScores},
    Int8Operator{MAXIMUM, 2, {computed, 2, true}},
    Int8Operator{MAX_POOL_2D, 2, {moved}},
    Int8Operator{MEAN, 2, {computed}},
    Int8Operator{MINIMUM, 2, {computed, 2, true}},
    Int8Operator{MIRROR_PAD, 2, {moved}},
    Int8Operator{MUL, 3, {computed, 2}},
    Int8Operator{PACK, 2, {computed, 0, true}},
    Int8Operator{PAD, 2, {moved}},
    Int8Operator{RELU, 2, {computed}},
    Int8Operator{RELU6, 2, {computed}},
    Int8Operator{RESHAPE, 1, {moved}},
    Int8Operator{RESIZE_BILINEAR, 2, {moved}},
    Int8Operator{RESIZE_NEAREST_NEIGHBOR, 2, {moved}},
    Int8Operator{SLICE, 2, {moved}},
    Int8Operator{SOFTMAX, 2, kScores},
    Int8Operator{SPACE_TO_BATCH_ND, 2, {moved}},
    Int8Operator{SPACE_TO_DEPTH, 2, {moved}},
    Int8Operator{SQUEEZE, 1, {moved}},
    Int8Operator{STRIDED_SLICE, 2, {moved}},
    Int8Operator{SUB, 2, {computed, 2}},
    Int8Operator{TANH, 2, {.kind = computed, .coding = kSignedFractions}},
    Int8Operator{TILE, 2, {moved}},
    Int8Operator{TRANSPOSE, 2, {moved}},
    Int8Operator{TRANSPOSE_CONV, 3, {weighted}},
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

// Options with which an operator has no INT8 form.
bool fits(const format::OperatorT& op) {
  const Activation activation = activation_of(op.builtin_options);
  const auto* product = op.builtin_options.AsFullyConnectedOptions();
  return (activation == Activation::NONE || activation == Activation::RELU ||
          activation == Activation::RELU6) &&
         (product == nullptr || product->weights_format == 0);
}

// Returns false if the weights are not those of a matrix product or a 2-D convolution.
bool describe_weights(const FloatModel& model, const format::OperatorT& op, FloatNode& made) {
  if (op.inputs.size() <= made.weights || op.inputs[made.weights] < 0) return false;
  const format::BuiltinOperator code = model.code_of(op);
  if (code == TRANSPOSE_CONV) {  // its inputs start with a shape
    made.first = 2;
    made.bias = 3;
  }
  const std::vector<int32_t>& shape = model.tensor(op.inputs[made.weights]).shape;
  if (shape.size() != (code == FULLY_CONNECTED ? 2 : 4)) return false;
  made.channel_axis = code == DEPTHWISE_CONV_2D ? 3 : 0;
  made.channels = shape[*made.channel_axis];
  return made.bias >= op.inputs.size() || op.inputs[made.bias] < 0 ||
         model.tensor(op.inputs[made.bias]).shape.size() == 1;
}

std::optional<Int8Form> form_of(const FloatModel& model, const format::OperatorT& op, FloatNode& made) {
  const Int8Operator* const row = find_int8_operator(model.code_of(op));
  if (row == nullptr || !fits(op)) return {};
  if (row->form.kind == weighted && !describe_weights(model, op, made)) return {};
  return row->form;
}

FloatNode described(const FloatModel& model, const format::OperatorT& op) {
  FloatNode made;
  made.op = model.operator_name(op);
  made.label = label_of(Layer{made.op, op.outputs.empty() ? "" : model.tensor(op.outputs[0]).name, {}});
  made.names = {made.op};
  for (const int32_t output : op.outputs) made.names.push_back(model.tensor(output).name);
  made.inputs = value_names(op.inputs);
  made.outputs = value_names(op.outputs);
  made.form = form_of(model, op, made);
  return made;
}

}  // namespace

const Int8Operator* find_int8_operator(format::BuiltinOperator code) {
  const auto found = std::ranges::find(kOperators, code, &Int8Operator::code);
  return found == kOperators.end() ? nullptr : &*found;
}

FloatGraph float_graph(const FloatModel& model) {
  FloatGraph made;
  made.inputs = value_names(model.graph().inputs);
  made.outputs = value_names(model.graph().outputs);
  for (const auto& op : model.graph().operators) {
    made.nodes.push_back(described(model, *op));
    if (model.code_of(*op) == SQUARED_DIFFERENCE)
      made.normalized.insert(made.nodes.back().inputs.begin(), made.nodes.back().inputs.end());
  }
  return made;
}

}  // namespace nnrt::import::tflite
