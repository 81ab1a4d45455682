#include "nnapi/plan/execution_plan.h"

#include "core/base/text.h"
#include "nnapi/lower/core_type.h"
#include "nnapi/plan/model_runner.h"

#include <algorithm>
#include <cstring>

namespace nnrt::nnapi {
namespace {

// A view of the memory, if the core can access it directly.
std::optional<TensorView> own_view(const Argument& argument, int32_t code) {
  constexpr size_t kAlignment = 16;
  if (argument.memory == nullptr || !is_stored_alike(code)) return {};
  const auto offset = size_t(argument.data - argument.memory->data());
  if (offset % kAlignment != 0) return {};
  return TensorView{argument.memory, offset, argument.bytes, {}};
}

Result<HostValue> value_of(const Argument& argument, const Operand& operand, const RunState& state) {
  if (argument.omitted) return HostValue{.omitted = true, .shape = {}, .view = {}};
  const int32_t code = operand.type.code;
  const Shape shape = core_shape(argument.dimensions);
  const auto count = size_t(element_count(shape).value_or(0));
  const size_t bytes = count * size_of(core_dtype(code));
  if (count * element_bytes(code) > argument.bytes)
    return invalid("Shape ", to_string(shape), " takes more bytes than the argument has (", argument.bytes,
                   ").");
  if (auto view = own_view(argument, code)) {
    view->bytes = bytes;
    view->shape = shape;
    return HostValue{false, shape, std::move(*view)};
  }
  NNRT_ASSIGN(auto memory, state.buffers->take(bytes));
  to_core(code, argument.data, memory->data(), count);
  return HostValue{false, shape, {std::move(memory), 0, bytes, shape}};
}

Dimensions dimensions_of(const Shape& shape) {
  Dimensions dimensions;
  for (const int64_t length : shape) dimensions.push_back(uint32_t(length));
  return dimensions;
}

class PlanOfRunner final : public Plan {
 public:
  PlanOfRunner(ModelPtr model, std::shared_ptr<const CompileTarget> target)
      : runner_(std::move(model), std::move(target)) {}

  Status prepare() { return runner_.prepare(); }

  RunOutcome run(std::span<const Argument> inputs, std::span<const Argument> outputs,
                 const RunOptions& options) const override {
    RunState state{options.deadline, options.loop_timeout, buffers_};
    RunOutcome outcome;
    outcome.outputs.resize(outputs.size());
    const auto start = Clock::now();
    outcome.status = run(inputs, outputs, state, outcome.outputs);
    outcome.in_driver = Clock::now() - start;
    outcome.on_hardware = std::min(state.on_hardware, outcome.in_driver);
    return outcome;
  }

 private:
  Status run(std::span<const Argument> inputs, std::span<const Argument> outputs, RunState& state,
             std::vector<OutputShape>& shapes) const {
    const Model& model = runner_.model();
    HostValues values(model.operands.size()), destinations(model.operands.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      NNRT_ASSIGN(values[model.inputs[i]], value_of(inputs[i], model.operands[model.inputs[i]], state));
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      auto view = own_view(outputs[i], model.operands[model.outputs[i]].type.code);
      if (view && !outputs[i].omitted)
        destinations[model.outputs[i]] = HostValue{false, {}, std::move(*view)};
    }
    NNRT_TRY(runner_.run(values, destinations, state));
    for (size_t i = 0; i < outputs.size(); ++i)
      NNRT_TRY(deliver(*values[model.outputs[i]], model.operands[model.outputs[i]], outputs[i], shapes[i]));
    return {};
  }

  static Status deliver(const HostValue& value, const Operand& operand, const Argument& argument,
                        OutputShape& shape) {
    shape.dimensions = is_tensor(operand.type.code) ? dimensions_of(value.shape) : Dimensions();
    shape.known = true;
    if (argument.omitted) return {};
    if (!admits(argument.dimensions, value.shape))
      return invalid("The result's shape ", to_string(value.shape), " is not the declared one.");
    const auto count = size_t(element_count(value.shape).value_or(0));
    shape.insufficient = count * element_bytes(operand.type.code) > argument.bytes;
    if (shape.insufficient || count == 0 || value.view.data() == argument.data) return {};
    from_core(operand.type.code, value.view.data(), argument.data, count);
    return {};
  }

  ModelRunner runner_;
  std::shared_ptr<Buffers> buffers_ = std::make_shared<Buffers>();
};

}  // namespace

Result<std::shared_ptr<const Plan>> Plan::make(ModelPtr model, const Target& target) {
  for (size_t i = 0; i < model->operations.size(); ++i) {
    if (Status status = check_supported(*model, model->operations[i]); !status.ok())
      return std::move(status).error().during(cat("compiling operation ", i));
  }
  if (!target.devices.empty()) {
    NNRT_ASSIGN(const std::vector<bool> supported, supported_operations(model, target.devices));
    const auto missing = std::ranges::find(supported, false);
    if (missing != supported.end())
      return unsupported("No device supports operation ", missing - supported.begin(), ".");
  }
  NNRT_ASSIGN(CompileTarget compile, compile_target(target, model->relaxed));
  auto plan = std::make_shared<PlanOfRunner>(std::move(model),
                                             std::make_shared<const CompileTarget>(std::move(compile)));
  NNRT_TRY(plan->prepare());
  return std::shared_ptr<const Plan>(std::move(plan));
}

}  // namespace nnrt::nnapi
