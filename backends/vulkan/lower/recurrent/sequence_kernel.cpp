#include "backends/vulkan/lower/recurrent/sequence_kernel.h"

#include "backends/vulkan/lower/common/lowering_common.h"
#include "backends/vulkan/lower/common/row_groups.h"
#include "backends/vulkan/lower/gemm/packed_weights.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

constexpr size_t kHiddenWeight = 2;

// With this hidden size, one core reads the weights in about the time of a dispatch.
constexpr uint32_t kMaxHidden = 256;
constexpr uint32_t kMaxInvocations = 1024, kUnits = 32, kVectorsOfShare = 4;

struct SequencePush {
  uint32_t rows = 0;
  uint32_t steps = 0, batch = 0, hidden = 0, directions = 0;
  uint32_t first = 0, place = 0, backward = 0;
  float keep_cell = 0, keep_hidden = 0, cell_clip = 0;
};

struct SequenceGroup {
  uint32_t units = 0, shares = 1, vectors = 0;

  uint32_t invocations() const { return units * shares; }
};

uint32_t gates_of(CellKind cell) {
  if (cell == CellKind::lstm) return 4;
  return cell == CellKind::rnn_tanh || cell == CellKind::rnn_relu ? 1 : 3;
}

// Two copies of the states, the states after the GRU's reset gate, the cells, and one vector per invocation.
uint64_t shared_bytes(const SequenceGroup& group) {
  return (uint64_t{group.vectors} * 4 + group.invocations()) * 16;
}

SequenceGroup group_for(const SequenceLayer& layer, const DevicePlan& plan) {
  const uint32_t max_invocations = std::min(kMaxInvocations, plan.max_group_invocations) / kUnits * kUnits;
  SequenceGroup group{.units = std::min(round_up(layer.hidden, kUnits), max_invocations),
                      .vectors = divide_up(layer.hidden, 4)};
  group.shares = std::clamp(group.vectors / kVectorsOfShare, 1u, max_invocations / group.units);
  while (group.shares > 1 && shared_bytes(group) > plan.max_shared_bytes) --group.shares;
  return group;
}

uint64_t iterations_of(const SequenceLayer& layer, const SequenceGroup& group) {
  const uint64_t parts = loop_by(group.vectors, group.shares) + loop_of(group.shares) + loop_of(4);
  const uint64_t units = loop_by(layer.hidden, group.units, parts);
  const uint64_t step = layer.cell == CellKind::gru_reset ? 2 * units : units;
  return 2 * loop_by(layer.hidden, group.invocations()) + loop_of(layer.steps, step);
}

}  // namespace

WhyNot why_not_sequence(const LoweringContext& context, const SequenceLayer& layer) {
  const DevicePlan& plan = context.plan;
  if (const WhyNot why = why_not_sharing(plan)) return why;
  if (layer.hidden == 0) return "It has no states.";
  const uint64_t bytes = shared_bytes(group_for(layer, plan));
  if (plan.max_shared_bytes < bytes)
    return {"Shared memory is limited to {} bytes; it needs {}.", plan.max_shared_bytes, bytes};
  if (plan.is_software) return WhyNot::slower("Software drivers start dispatches quickly.");
  if (layer.steps == 1) return WhyNot::slower("There is one step.");
  if (layer.hidden > kMaxHidden)
    return WhyNot::slower("With {} states, reading the weights needs all cores.", layer.hidden);
  return {};
}

Status add_sequence(const LoweringContext& context, const SequenceLayer& layer) {
  const uint32_t matrices = layer.all_directions * gates_of(layer.cell);
  NNRT_ASSIGN(const Buffer weights, pack_weights(context, kHiddenWeight,
                                                 {.matrices = matrices,
                                                  .rows = layer.hidden,
                                                  .inner = layer.hidden,
                                                  .matrix_stride = layer.hidden * layer.hidden,
                                                  .row_stride = 1,
                                                  .step = layer.hidden}));
  const SequenceGroup group = group_for(layer, context.plan);
  const SequencePush push{.rows = layer.directions * layer.batch,
                          .steps = layer.steps,
                          .batch = layer.batch,
                          .hidden = layer.hidden,
                          .directions = layer.directions,
                          .first = layer.first,
                          .place = layer.place,
                          .backward = layer.backward,
                          .keep_cell = layer.keep_cell,
                          .keep_hidden = layer.keep_hidden,
                          .cell_clip = layer.cell_clip};
  NNRT_TRY(count_of({push.rows, group.invocations()}));
  const uint32_t invocations = group.invocations();
  context.sink.add(Dispatch{
      .shader = "recurrent_sequence_f32",
      .constants = {uint32_t(layer.cell), uint32_t(layer.has_bias), group.units, group.shares, group.vectors},
      .push = Push(push),
      .buffers = {layer.gates, weights, context.input(3), layer.first_hidden, layer.first_cell,
                  layer.last_hidden, layer.last_cell, layer.to},
      .threads = threads_for(push.rows * invocations, context.plan, invocations),
      .local = {invocations, 1, 1},
      .iterations = iterations_of(layer, group)});
  return {};
}

std::vector<std::string_view> recurrent_kernels() { return {kSequence, kSteps}; }

}  // namespace nnrt::vulkan
