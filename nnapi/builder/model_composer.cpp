#include "nnapi/builder/model_composer.h"

#include "core/memory/pages.h"
#include "nnapi/base/client_call.h"
#include "nnapi/builder/model_checks.h"
#include "nnapi/model/operand_types.h"
#include "nnapi/operations/operation_row.h"

#include <android/NeuralNetworksOEM.h>

#include <cstring>
#include <utility>

namespace nnrt::nnapi {
namespace {

void make_constant(Operand& operand, SharedBytes value) {
  operand.source = Source::constant;
  operand.value = std::move(value);
}

}  // namespace

Outcome ModelComposer::require_composing() const {
  if (!ended_) return {};
  return bad_state("The model is finished, or finishing it failed.");
}

Outcome ModelComposer::require_finished() const {
  if (finished_) return {};
  return bad_state("The model is not finished, or finishing it failed.");
}

Outcome ModelComposer::add_operand(const ANeuralNetworksOperandType& type) {
  NNRT_TRY(require_composing());
  Operand operand;
  NNRT_TRY(operand_type_from(type, operand.type));
  model_.operands.push_back(std::move(operand));
  return {};
}

Outcome ModelComposer::find_constant(int32_t index, size_t length, Operand*& operand) {
  operand = &model_.operands[static_cast<size_t>(index)];
  const OperandType& type = operand->type;
  if (type.code == ANEURALNETWORKS_MODEL) return bad_data("The value of a MODEL must be set as a model.");
  if (!is_fully_known(type))
    return bad_data("A value of ", text_of(type.dimensions), " has dimensions that are not known.");
  const auto bytes = bytes_of(type.code, type.dimensions);
  if (bytes == length || type.code == ANEURALNETWORKS_OEM_SCALAR) return {};
  return bad_data("The value has ", length, " bytes instead of the ", bytes.value_or(0), " of a ",
                  type_name(type.code), " of ", text_of(type.dimensions), ".");
}

Outcome ModelComposer::set_value(int32_t index, const void* buffer, size_t length) {
  NNRT_TRY(require_composing());
  NNRT_TRY(require_index("operand", index, model_.operands.size()));
  const auto place = static_cast<uint32_t>(index);
  if (buffer == nullptr) {
    referenced_.erase(place);
    model_.operands[place].source = Source::omitted;
    model_.operands[place].value = nullptr;
    model_.operands[place].model = nullptr;
    return {};
  }
  if (length == 0) return bad_data("The value has no bytes, but its pointer is not null.");
  Operand* operand = nullptr;
  NNRT_TRY(find_constant(index, length, operand));
  const ByteView value(static_cast<const std::byte*>(buffer), length);
  if (length > ANEURALNETWORKS_MAX_SIZE_OF_IMMEDIATELY_COPIED_VALUES) {
    referenced_[place] = value;
    make_constant(*operand, nullptr);
  } else {
    make_constant(*operand, copy_in_pages(value));
    referenced_.erase(place);
  }
  return {};
}

Outcome ModelComposer::set_value_from_memory(int32_t index, const ClientMemory& memory, size_t offset,
                                             size_t length) {
  NNRT_TRY(require_composing());
  NNRT_TRY(require_index("operand", index, model_.operands.size()));
  Operand* operand = nullptr;
  NNRT_TRY(find_constant(index, length, operand));
  NNRT_TRY(memory.check_range(offset, length));
  if (memory.description() != nullptr) return bad_data("The memory was created from a descriptor.");
  if (!memory.may_read()) return bad_data("The memory is not readable.");
  make_constant(*operand, memory.part(offset, length));
  referenced_.erase(static_cast<uint32_t>(index));
  return {};
}

Outcome ModelComposer::set_value_from_model(int32_t index, const ModelComposer& value) {
  NNRT_TRY(require_composing());
  NNRT_TRY(value.require_finished());
  NNRT_TRY(require_index("operand", index, model_.operands.size()));
  Operand& operand = model_.operands[static_cast<size_t>(index)];
  if (operand.type.code != ANEURALNETWORKS_MODEL)
    return bad_data("The value of a ", type_name(operand.type.code), " is not a model.");
  operand.source = Source::model;
  operand.model = value.finished_;
  return {};
}

Outcome ModelComposer::set_channel_quant(int32_t index,
                                         const ANeuralNetworksSymmPerChannelQuantParams& params) {
  NNRT_TRY(require_composing());
  NNRT_TRY(require_index("operand", index, model_.operands.size()));
  if ((params.scales == nullptr) != (params.scaleCount == 0)) {
    return bad_data("There are ", params.scaleCount, " scales, but the pointer to them is ",
                    params.scales == nullptr ? "null." : "not null.");
  }
  ChannelQuant quant{params.channelDim, {params.scales, params.scales + params.scaleCount}};
  Operand& operand = model_.operands[static_cast<size_t>(index)];
  NNRT_TRY(check_channel_quant(operand.type, quant));
  operand.channel_quant = std::move(quant);
  return {};
}

Outcome ModelComposer::set_extension_data(int32_t index) const {
  NNRT_TRY(require_composing());
  NNRT_TRY(require_index("operand", index, model_.operands.size()));
  const OperandType& type = model_.operands[static_cast<size_t>(index)].type;
  return bad_data("A ", type_name(type.code), " is not an extension type.");
}

Outcome ModelComposer::find(std::span<const uint32_t> indices, std::vector<const Operand*>& operands) const {
  for (const uint32_t index : indices) {
    NNRT_TRY(require_index("operand", index, model_.operands.size()));
    operands.push_back(&model_.operands[index]);
  }
  return {};
}

Outcome ModelComposer::add_operation(int32_t code, std::span<const uint32_t> inputs,
                                     std::span<const uint32_t> outputs) {
  NNRT_TRY(require_composing());
  const OperationRow* const row = find_operation(code);
  if (row == nullptr && !is_of_maker(code)) return bad_data("Operation ", code, " does not exist.");
  std::vector<const Operand*> read, written;
  NNRT_TRY(find(inputs, read));
  NNRT_TRY(find(outputs, written));
  if (row != nullptr) {
    NNRT_TRY(check_signature(*row, read, written));
    NNRT_TRY(check_constraints(*row, read, written));
    NNRT_TRY(check_control_flow(code, read, written));
  }
  model_.operations.push_back({code, {inputs.begin(), inputs.end()}, {outputs.begin(), outputs.end()}});
  return {};
}

Outcome ModelComposer::identify(std::span<const uint32_t> inputs, std::span<const uint32_t> outputs) {
  NNRT_TRY(require_composing());
  if (identified_) return bad_data("Inputs and outputs were identified before.");
  std::vector<bool> is_listed(model_.operands.size());
  for (const auto indices : {inputs, outputs}) {
    for (const uint32_t index : indices) {
      NNRT_TRY(require_index("operand", index, model_.operands.size()));
      const Operand& operand = model_.operands[index];
      if (is_listed[index]) return bad_data("Operand ", index, " is listed twice.");
      if (operand.source != Source::run || operand.type.code == ANEURALNETWORKS_MODEL)
        return bad_data("Operand ", index, " has a value, or is a MODEL.");
      is_listed[index] = true;
    }
  }
  model_.inputs.assign(inputs.begin(), inputs.end());
  model_.outputs.assign(outputs.begin(), outputs.end());
  identified_ = true;
  return {};
}

Outcome ModelComposer::relax(bool allow) {
  NNRT_TRY(require_composing());
  model_.relaxed = allow;
  return {};
}

Outcome ModelComposer::finish() {
  NNRT_TRY(require_composing());
  ended_ = true;
  NNRT_TRY(check_and_sort(model_));
  for (const auto& [index, value] : referenced_) model_.operands[index].value = copy_in_pages(value);
  referenced_.clear();
  finished_ = std::make_shared<const Model>(std::move(model_));
  return {};
}

}  // namespace nnrt::nnapi
