#include "nnapi/builder/model_checks.h"
#include "nnapi/model/operand_types.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace nnrt::nnapi {
namespace {

using Operands = std::span<const Operand* const>;

bool are_compatible(const Operand& a, const Operand& b) {
  return a.type.code == b.type.code && a.type.scale == b.type.scale &&
         a.type.zero_point == b.type.zero_point && a.channel_quant == b.channel_quant &&
         combined(a.type.dimensions, b.type.dimensions).has_value();
}

// A condition must have one element, as far as known.
Outcome check_condition(const Operand& operand) {
  const bool one = std::ranges::all_of(operand.type.dimensions, [](uint32_t size) { return size <= 1; });
  if (operand.type.code == ANEURALNETWORKS_TENSOR_BOOL8 && one) return {};
  return bad_data("A condition is a ", type_name(operand.type.code), " of ", text_of(operand.type.dimensions),
                  " instead of a TENSOR_BOOL8 with one element.");
}

// Compares the first of `indices` with all of `outer`.
Outcome check_compatible(std::string_view what, Operands outer, const Model& model,
                         const std::vector<uint32_t>& indices) {
  for (size_t i = 0; i < outer.size(); ++i) {
    const Operand& inner = model.operands[indices[i]];
    if (are_compatible(*outer[i], inner)) continue;
    return bad_data(what, " ", i, " is a ", type_name(inner.type.code), " of ",
                    text_of(inner.type.dimensions), " in the model, but outside a ",
                    type_name(outer[i]->type.code), " of ", text_of(outer[i]->type.dimensions),
                    ", or their quantization differs.");
  }
  return {};
}

Outcome check_count(std::string_view what, size_t count, size_t expected) {
  if (count == expected) return {};
  return bad_data("A model has ", count, " ", what, " instead of ", expected, ".");
}

Outcome check_has_model(const Operand& operand) {
  if (operand.source == Source::model && operand.model) return {};
  return bad_data("An operand of type MODEL has no model yet.");
}

Outcome check_if(Operands inputs, Operands outputs) {
  NNRT_TRY(check_condition(*inputs[0]));
  const Operands values = inputs.subspan(3);
  for (const Operand* const branch : inputs.subspan(1, 2)) {
    NNRT_TRY(check_has_model(*branch));
    const Model& model = *branch->model;
    NNRT_TRY(check_count("inputs", model.inputs.size(), values.size()));
    NNRT_TRY(check_count("outputs", model.outputs.size(), outputs.size()));
    NNRT_TRY(check_compatible("Input", values, model, model.inputs));
    NNRT_TRY(check_compatible("Output", outputs, model, model.outputs));
  }
  return {};
}

std::vector<const Operand*> operands_of(const Model& model, const std::vector<uint32_t>& indices) {
  std::vector<const Operand*> operands;
  operands.reserve(indices.size());
  for (const uint32_t index : indices) operands.push_back(&model.operands[index]);
  return operands;
}

Outcome check_while(Operands inputs, Operands outputs) {
  for (const Operand* const part : inputs.first(2)) NNRT_TRY(check_has_model(*part));
  const Model& condition = *inputs[0]->model;
  const Model& body = *inputs[1]->model;
  const Operands values = inputs.subspan(2);
  NNRT_TRY(check_count("inputs", condition.inputs.size(), values.size()));
  NNRT_TRY(check_count("outputs", condition.outputs.size(), 1));
  NNRT_TRY(check_condition(condition.operands[condition.outputs[0]]));
  NNRT_TRY(check_count("inputs", body.inputs.size(), values.size()));
  if (outputs.size() > body.outputs.size() || body.outputs.size() > values.size()) {
    return bad_data("A body with ", body.inputs.size(), " inputs and ", body.outputs.size(),
                    " outputs does not fit ", outputs.size(), " outputs.");
  }
  NNRT_TRY(check_compatible("Input", values, condition, condition.inputs));
  NNRT_TRY(check_compatible("Input", values, body, body.inputs));
  NNRT_TRY(check_compatible("Output", outputs, body, body.outputs));
  return check_compatible("Input", operands_of(body, body.outputs), body, body.inputs);
}

}  // namespace

Outcome check_control_flow(int32_t code, Operands inputs, Operands outputs) {
  if (code == ANEURALNETWORKS_IF) return check_if(inputs, outputs);
  if (code == ANEURALNETWORKS_WHILE) return check_while(inputs, outputs);
  return {};
}

}  // namespace nnrt::nnapi
