#include "nnapi/builder/model_checks.h"

#include "nnapi/model/operand_types.h"
#include "nnapi/operations/operation_row.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>

namespace nnrt::nnapi {
namespace {

constexpr uint32_t kNobody = ~uint32_t{0};

Outcome check_operand(const Operand& operand) {
  NNRT_TRY(check_finished_type(operand.type));
  if (operand.type.code == ANEURALNETWORKS_MODEL && operand.source == Source::run)
    return bad_data("It is a MODEL without a model.");
  if (operand.type.code != ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL) return {};
  if (!operand.channel_quant) {
    if (operand.source == Source::omitted) return {};
    return bad_data("It has no scales per channel.");
  }
  return check_channel_quant(operand.type, *operand.channel_quant);
}

// The operation that writes each operand.
Outcome find_writers(const Model& model, std::vector<uint32_t>& writers) {
  writers.assign(model.operands.size(), kNobody);
  std::vector<bool> is_input(model.operands.size());
  for (const uint32_t input : model.inputs) is_input[input] = true;
  for (uint32_t i = 0; i < model.operations.size(); ++i) {
    for (const uint32_t output : model.operations[i].outputs) {
      if (is_input[output])
        return bad_data("Operation ", i, " writes operand ", output, ", which is an input of the model.");
      if (model.operands[output].source != Source::run)
        return bad_data("Operation ", i, " writes operand ", output, ", which has a value.");
      if (writers[output] != kNobody)
        return bad_data("Operations ", writers[output], " and ", i, " both write operand ", output, ".");
      writers[output] = i;
    }
  }
  for (size_t i = 0; i < writers.size(); ++i) {
    if (writers[i] == kNobody && !is_input[i] && model.operands[i].source == Source::run)
      return bad_data("Operand ", i, " has no value, is not an input, and no operation writes it.");
  }
  return {};
}

Outcome check_arguments(const Model& model) {
  if (model.operations.empty()) return bad_data("The model has no operation.");
  if (model.inputs.empty() || model.outputs.empty())
    return bad_data("The model has ", model.inputs.size(), " inputs and ", model.outputs.size(), " outputs.");
  for (const auto* arguments : {&model.inputs, &model.outputs}) {
    for (const uint32_t index : *arguments) {
      if (model.operands[index].source != Source::run)
        return bad_data("Operand ", index, " is an input or output of the model and has a value.");
    }
  }
  return {};
}

// Checked here because per-channel scales and omitted operands may be set after the operation is added.
Outcome check_operations(const Model& model) {
  for (const Operation& operation : model.operations) {
    const OperationRow* const row = find_operation(operation.code);
    if (row == nullptr) continue;
    std::vector<const Operand*> inputs, outputs;
    for (const uint32_t operand : operation.inputs) inputs.push_back(&model.operands[operand]);
    for (const uint32_t operand : operation.outputs) outputs.push_back(&model.operands[operand]);
    NNRT_TRY(check_constraints(*row, inputs, outputs));
  }
  return {};
}

// Among ready operations, the one added first runs first.
Outcome sort(Model& model, const std::vector<uint32_t>& writers) {
  std::vector<size_t> missing(model.operations.size());
  std::vector<std::vector<uint32_t>> readers(model.operations.size());
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready;
  for (uint32_t i = 0; i < model.operations.size(); ++i) {
    for (const uint32_t input : model.operations[i].inputs) {
      if (writers[input] == kNobody) continue;
      readers[writers[input]].push_back(i);
      ++missing[i];
    }
    if (missing[i] == 0) ready.push(i);
  }
  model.order.clear();
  while (!ready.empty()) {
    const uint32_t next = ready.top();
    ready.pop();
    model.order.push_back(next);
    for (const uint32_t reader : readers[next]) {
      if (--missing[reader] == 0) ready.push(reader);
    }
  }
  if (model.order.size() == model.operations.size()) return {};
  const auto waiting = std::ranges::find_if(missing, [](size_t count) { return count != 0; });
  return bad_data("Operation ", waiting - missing.begin(), " is part of a cycle.");
}

}  // namespace

Outcome check_channel_quant(const OperandType& type, const ChannelQuant& quant) {
  if (type.code != ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL)
    return bad_data("A ", type_name(type.code), " has no scales per channel.");
  if (quant.dimension >= type.dimensions.size()) {
    return bad_data("Dimension (", quant.dimension, ") of the channels is outside [0, ",
                    type.dimensions.size(), ").");
  }
  const uint32_t channels = type.dimensions[quant.dimension];
  if (channels == 0 || channels != quant.scales.size())
    return bad_data("There are ", quant.scales.size(), " scales for ", text_of(type.dimensions), ".");
  for (const float scale : quant.scales) {
    if (!(scale > 0) || !std::isfinite(scale))
      return bad_data("The scale of a channel (", scale, ") is not above 0.");
  }
  return {};
}

Outcome check_and_sort(Model& model) {
  NNRT_TRY(check_arguments(model));
  for (size_t i = 0; i < model.operands.size(); ++i) {
    Outcome outcome = check_operand(model.operands[i]);
    if (!outcome.ok()) return bad_data(outcome.error().message, " Operand ", i, " is invalid.");
  }
  NNRT_TRY(check_operations(model));
  std::vector<uint32_t> writers;
  NNRT_TRY(find_writers(model, writers));
  return sort(model, writers);
}

}  // namespace nnrt::nnapi
