// IF and WHILE.
#include "core/base/text.h"
#include "nnapi/lower/core_type.h"
#include "nnapi/plan/model_runner.h"

#include <android/NeuralNetworks.h>

#include <cstring>

namespace nnrt::nnapi {
namespace {

Status check_deadline(const RunState& state) {
  if (!state.deadline || Clock::now() < *state.deadline) return {};
  return Error{Code::timeout, "The deadline passed."};
}

// A copy of a constant in its own memory; omitted operands stay omitted.
Result<HostValue> constant_value(const Operand& operand, const RunState& state) {
  if (operand.source == Source::omitted) return HostValue{.omitted = true, .shape = {}, .view = {}};
  if (operand.source != Source::constant) return invalid("An operand has no value.");
  const SharedBytes bytes = core_bytes(operand);
  NNRT_ASSIGN(auto memory, state.buffers->take(bytes->size()));
  std::memcpy(memory->data(), bytes->data(), bytes->size());
  const Shape shape = core_shape(operand.type.dimensions);
  return HostValue{false, shape, {std::move(memory), 0, bytes->size(), shape}};
}

// The value of an operand, computed or constant.
Result<HostValue> value_of(const Model& model, uint32_t operand, const HostValues& values,
                           const RunState& state) {
  if (values[operand]) return *values[operand];
  return constant_value(model.operands[operand], state);
}

// The inputs of an operation starting at `first`.
Result<std::vector<HostValue>> inputs_of(const Model& model, const Operation& operation, size_t first,
                                         const HostValues& values, const RunState& state) {
  std::vector<HostValue> inputs;
  for (size_t i = first; i < operation.inputs.size(); ++i) {
    NNRT_ASSIGN(inputs.emplace_back(), value_of(model, operation.inputs[i], values, state));
  }
  return inputs;
}

Result<bool> is_true(const HostValue& condition) {
  if (!condition.has_elements() || element_count(condition.shape) != 1)
    return invalid("The condition ", to_string(condition.shape), " is not one element.");
  return condition.bytes()[0] != std::byte{0};
}

}  // namespace

Result<std::vector<HostValue>> ModelRunner::run_inner(uint32_t operand, const std::vector<HostValue>& inputs,
                                                      RunState& state) const {
  const ModelRunner& inner = *inner_.at(operand);
  const Model& model = inner.model();
  HostValues values(model.operands.size());
  for (size_t i = 0; i < model.inputs.size(); ++i) {
    const OperandType& declared = model.operands[model.inputs[i]].type;
    if (!inputs[i].omitted && !admits(declared.dimensions, inputs[i].shape))
      return invalid("The shape of input ", i, " ", to_string(inputs[i].shape), " is not the declared one.");
    values[model.inputs[i]] = inputs[i];
  }
  NNRT_TRY(inner.run(values, HostValues(values.size()), state));
  std::vector<HostValue> outputs;
  for (const uint32_t output : model.outputs) outputs.push_back(std::move(*values[output]));
  return outputs;
}

Status ModelRunner::keep(uint32_t operand, HostValue value, HostValues& values) const {
  if (!admits(model_->operands[operand].type.dimensions, value.shape))
    return invalid("The result's shape ", to_string(value.shape), " is not that of operand ", operand, ".");
  values[operand] = std::move(value);
  return {};
}

Status ModelRunner::run_if(const Operation& operation, HostValues& values, RunState& state) const {
  NNRT_ASSIGN(const auto all, inputs_of(*model_, operation, 3, values, state));
  NNRT_ASSIGN(const HostValue condition, value_of(*model_, operation.inputs[0], values, state));
  NNRT_ASSIGN(const bool is_first, is_true(condition));
  NNRT_ASSIGN(auto results, run_inner(operation.inputs[is_first ? 1 : 2], all, state));
  for (size_t i = 0; i < operation.outputs.size(); ++i)
    NNRT_TRY(keep(operation.outputs[i], std::move(results[i]), values));
  return {};
}

// The order is input-output, state-only, input-only values; the body updates the first two.
Status ModelRunner::run_while(const Operation& operation, HostValues& values, RunState& state) const {
  const auto start = Clock::now();
  NNRT_ASSIGN(std::vector<HostValue> current, inputs_of(*model_, operation, 2, values, state));
  for (;;) {
    NNRT_TRY(check_deadline(state));
    NNRT_ASSIGN(const auto verdict, run_inner(operation.inputs[0], current, state));
    NNRT_ASSIGN(const bool goes_on, is_true(verdict[0]));
    if (!goes_on) break;
    if (Clock::now() - start >= state.loop_timeout)
      return Error{Code::timeout, "A loop exceeded its time limit."};
    NNRT_ASSIGN(auto written, run_inner(operation.inputs[1], current, state));
    for (size_t i = 0; i < written.size() && i < current.size(); ++i) current[i] = std::move(written[i]);
  }
  for (size_t i = 0; i < operation.outputs.size(); ++i)
    NNRT_TRY(keep(operation.outputs[i], std::move(current[i]), values));
  return {};
}

Status ModelRunner::run_control_flow(const Operation& operation, HostValues& values, RunState& state) const {
  if (operation.code == ANEURALNETWORKS_IF) return run_if(operation, values, state);
  return run_while(operation, values, state);
}

}  // namespace nnrt::nnapi
