// Determines which operations of a model a device runs.
#include "core/base/text.h"
#include "core/platform/log.h"
#include "core/runtime/operation_refusals.h"
#include "nnapi/lower/core_type.h"
#include "nnapi/operations/operation_row.h"
#include "nnapi/plan/execution_plan.h"
#include "nnapi/plan/segment_writer.h"

#include <algorithm>

namespace nnrt::nnapi {
namespace {

bool is_reference(const Device& device) { return is_own_cpu(device) && device.members().empty(); }

// Whether the device runs each operation that can be decided before a run; the CPU runs all others.
class SupportCheck {
 public:
  SupportCheck(const Model& model, const Device& device) : model_(model), device_(device) {}

  Result<std::vector<bool>> run() {
    std::vector<bool> supported(model_.operations.size(), false);
    HostValues values = declared_values();
    for (size_t next = 0; next < model_.order.size();) {
      const uint32_t number = model_.order[next];
      if (is_control_flow(model_.operations[number].code)) {
        NNRT_ASSIGN(supported[number], runs_inner(model_.operations[number]));
        ++next;
        continue;
      }
      auto segment = SegmentWriter(model_, values).write(next, SegmentWriter::OnError::ends);
      if (!segment.ok()) {  // can only be decided in a run
        log(LogLevel::debug,
            cat(device_.info().name, " does not run operation ", number, ": ", segment.error().message));
        ++next;
        continue;
      }
      NNRT_TRY(check_segment(segment.value(), supported));
      next = segment.value().end;
    }
    return supported;
  }

 private:
  // All values as declared by the model, including computed ones, so that operations after an unsupported one
  // can be checked. An input [0] is an optional operand omitted in runs.
  HostValues declared_values() const {
    HostValues values(model_.operands.size());
    for (size_t i = 0; i < values.size(); ++i) {
      const Operand& operand = model_.operands[i];
      if (operand.source == Source::run && is_fully_known(operand.type))
        values[i] = HostValue{false, core_shape(operand.type.dimensions), {}};
    }
    for (const uint32_t operand : model_.inputs) {
      if (model_.operands[operand].type.dimensions == Dimensions{0})
        values[operand] = HostValue{.omitted = true, .shape = {}, .view = {}};
    }
    return values;
  }

  Status check_segment(const Segment& segment, std::vector<bool>& supported) const {
    for (size_t i = segment.begin; i < segment.end; ++i) supported[model_.order[i]] = true;
    if (segment.graph == nullptr) return {};
    NNRT_ASSIGN(const std::vector<bool> nodes, nnrt::supported_operations(segment.graph, device_));
    for (size_t i = 0; i < segment.origins.size(); ++i) {
      if (i >= nodes.size() || !nodes[i]) supported[segment.origins[i]] = false;
    }
    if (log_enabled(LogLevel::debug)) log_refusals(segment);
    return {};
  }

  void log_refusals(const Segment& segment) const {
    const Graph& graph = *segment.graph;
    const std::vector<Refusal> refusals = refusals_of(device_, graph, {});
    for (size_t i = 0; i < refusals.size() && i < segment.origins.size(); ++i) {
      if (refusals[i])
        log(LogLevel::debug, cat(device_.info().name, " does not run operation ", segment.origins[i], " (",
                                 name(graph.nodes[i].op), "): ", *refusals[i]));
    }
  }

  Result<bool> runs_inner(const Operation& operation) const {
    for (const uint32_t operand : operation.inputs) {
      const Operand& described = model_.operands[operand];
      if (described.source != Source::model) continue;
      NNRT_ASSIGN(const std::vector<bool> inner, SupportCheck(*described.model, device_).run());
      if (std::ranges::find(inner, false) != inner.end()) return false;
    }
    return true;
  }

  const Model& model_;
  const Device& device_;
};

std::vector<const Operand*> operands_at(const Model& model, std::span<const uint32_t> places) {
  std::vector<const Operand*> operands;
  for (const uint32_t place : places) operands.push_back(&model.operands[place]);
  return operands;
}

}  // namespace

Status check_supported(const Model& model, const Operation& operation) {
  if (is_of_maker(operation.code)) return unsupported("No device runs vendor operations.");
  const auto inputs = operands_at(model, operation.inputs), outputs = operands_at(model, operation.outputs);
  const size_t rank = highest_rank(operation.code, inputs, outputs);
  if (rank > kMaxRank && !supports_any_rank(operation.code))
    return unsupported("A tensor of rank ", rank, " has more than ", kMaxRank, " dimensions.");
  for (const Operand* const input : inputs) {
    if (input->model == nullptr) continue;
    for (const Operation& inner : input->model->operations) NNRT_TRY(check_supported(*input->model, inner));
  }
  return {};
}

Result<std::vector<bool>> supported_operations(const ModelPtr& model, std::span<Device* const> devices) {
  std::vector<bool> supported(model->operations.size(), false);
  for (const Device* device : devices) {
    if (is_reference(*device)) {
      supported.assign(supported.size(), true);
      break;
    }
    NNRT_ASSIGN(const std::vector<bool> of_device, SupportCheck(*model, *device).run());
    for (size_t i = 0; i < supported.size(); ++i) supported[i] = supported[i] || of_device[i];
  }
  for (size_t i = 0; i < supported.size(); ++i)
    supported[i] = supported[i] && check_supported(*model, model->operations[i]).ok();
  return supported;
}

}  // namespace nnrt::nnapi
