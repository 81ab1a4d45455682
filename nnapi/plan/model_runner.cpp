#include "nnapi/plan/model_runner.h"

#include "core/base/text.h"
#include "nnapi/lower/core_type.h"
#include "nnapi/operations/operation_row.h"

#include <algorithm>

namespace nnrt::nnapi {
namespace {

constexpr size_t kMaxVariants = 16;  // compiled variants of a segment, for different shapes or parameters

// Client errors are reported by the run; unsupported features by the compilation.
bool is_of_client(const Error& error) {
  return error.code == Code::invalid_parameter || error.code == Code::failed;
}

}  // namespace

ModelRunner::ModelRunner(ModelPtr model, std::shared_ptr<const CompileTarget> target)
    : model_(std::move(model)), target_(std::move(target)) {
  for (const Operation& operation : model_->operations) {
    if (!is_control_flow(operation.code)) continue;
    for (const uint32_t operand : operation.inputs) {
      const Operand& described = model_->operands[operand];
      if (described.source != Source::model || inner_.contains(operand)) continue;
      auto inner_target = std::make_shared<CompileTarget>(*target_);
      inner_target->cache_name += cat("_", operand);
      inner_.emplace(operand, std::make_unique<ModelRunner>(described.model, std::move(inner_target)));
    }
  }
}

Status ModelRunner::prepare() {
  HostValues values(model_->operands.size());
  for (const uint32_t operand : model_->inputs) {
    const OperandType& type = model_->operands[operand].type;
    if (!is_fully_known(type)) return {};
    values[operand] = HostValue{false, core_shape(type.dimensions), {}};
  }
  if (!is_control_flow(model_->operations[model_->order[0]].code)) {
    const auto first = segment(0, values);
    if (!first.ok() && !is_of_client(first.error())) return Error(first.error());
  }
  for (const auto& [operand, inner] : inner_) NNRT_TRY(inner->prepare());
  return {};
}

ModelRunner::SegmentPtr ModelRunner::find_segment(size_t begin, const HostValues& values) const {
  const std::lock_guard lock(mutex_);
  std::list<SegmentPtr>& variants = segments_[begin];
  const auto found =
      std::ranges::find_if(variants, [&](const SegmentPtr& variant) { return variant->serves(values); });
  if (found == variants.end()) return nullptr;
  variants.splice(variants.begin(), variants, found);
  return variants.front();
}

Result<ModelRunner::SegmentPtr> ModelRunner::segment(size_t begin, const HostValues& values) const {
  if (SegmentPtr found = find_segment(begin, values)) return found;
  NNRT_ASSIGN(Segment written, SegmentWriter(*model_, values).write(begin));
  NNRT_ASSIGN(SegmentPtr prepared, PreparedSegment::make(*model_, std::move(written), *target_));
  const std::lock_guard lock(mutex_);
  std::list<SegmentPtr>& variants = segments_[begin];
  variants.push_front(prepared);
  if (variants.size() > kMaxVariants) variants.pop_back();
  return prepared;
}

Status ModelRunner::run(HostValues& values, const HostValues& destinations, RunState& state) const {
  for (size_t next = 0; next < model_->order.size();) {
    const Operation& operation = model_->operations[model_->order[next]];
    if (is_control_flow(operation.code)) {
      NNRT_TRY(run_control_flow(operation, values, state));
      ++next;
      continue;
    }
    NNRT_ASSIGN(const SegmentPtr prepared, segment(next, values));
    NNRT_TRY(prepared->run(values, destinations, state));
    next = prepared->end();
  }
  return {};
}

}  // namespace nnrt::nnapi
