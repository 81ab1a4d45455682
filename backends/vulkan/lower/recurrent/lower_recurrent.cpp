#include "backends/vulkan/lower/recurrent/lower_recurrent.h"

#include "backends/vulkan/lower/common/kernel_list.h"
#include "backends/vulkan/lower/common/lowering_common.h"
#include "backends/vulkan/lower/gemm/input_gates.h"
#include "backends/vulkan/lower/recurrent/sequence_kernel.h"
#include "core/base/text.h"

namespace nnrt::vulkan {
namespace {

enum Input : size_t { kInput, kInputWeight, kHiddenWeight, kBias, kHidden };

// The parts of a step, as numbered in recurrent.comp.
enum RecurrentPart : uint32_t { kRnnTanh, kRnnRelu, kGru, kGruReset, kGruCandidate };

constexpr uint64_t kMaxGates = 3;             // per state, with a loop each
constexpr uint32_t kMaxDispatches = 1 << 14;  // dispatches of all steps

struct StepPush {
  uint32_t count = 0;
  uint32_t step = 0, steps = 0, batch = 0, hidden = 0, directions = 0;
  uint32_t backward = 0;
};

std::vector<RecurrentPart> parts_of(const NodeView& node) {
  const Attrs& attrs = node.attrs();
  if (node.op() == Op::rnn) return {attrs.integer(Attr::mode) == 1 ? kRnnRelu : kRnnTanh};
  if (attrs.flag(Attr::linear_before_reset)) return {kGru};
  return {kGruReset, kGruCandidate};
}

Result<StepPush> push_of(const NodeView& node) {
  for (size_t i = 0; i < node.input_count(); ++i) NNRT_TRY(count_of(node.shape(i)));
  NNRT_TRY(count_of(node.output_shape()));
  const int64_t direction = node.attrs().integer(Attr::direction);
  StepPush push;
  push.steps = uint32_t(node.shape(kInput)[0]);
  push.batch = uint32_t(node.shape(kInput)[1]);
  push.hidden = uint32_t(node.shape(kHiddenWeight)[2]);
  push.directions = uint32_t(node.shape(kInputWeight)[0]);
  push.backward = uint32_t(direction);  // bit 0: the first direction; bit 1: the second
  push.count = push.directions * push.batch * push.hidden;
  return push;
}

// Double-buffers the states: the first step reads the initial ones, later steps alternate between two scratch
// buffers, and the last one writes the output.
void add_steps(const LoweringContext& context, StepPush push, Buffer gates) {
  const std::vector<RecurrentPart> parts = parts_of(context.node);
  const size_t bytes = push.count * sizeof(float);
  const auto scratch_for = [&](bool needed) {
    return needed ? context.sink.scratch(bytes) : context.output(1);
  };
  Buffer from = context.input(kHidden);
  Buffer next = scratch_for(push.steps > 1), after = scratch_for(push.steps > 2);
  const Buffer reset = scratch_for(parts.size() > 1);
  for (push.step = 0; push.step < push.steps; ++push.step) {
    if (push.step + 1 == push.steps) next = context.output(1);
    for (const RecurrentPart part : parts) {
      context.sink.add(
          Dispatch{.shader = push.hidden % 4 == 0 ? "recurrent_f32_vec4" : "recurrent_f32",
                   .constants = {uint32_t(part)},
                   .push = Push(push),
                   .buffers = {gates, context.input(kHiddenWeight), context.input(kBias), from,
                               part == kGruCandidate ? reset : from, part == kGruReset ? reset : next,
                               context.output()},
                   .threads = threads_for(push.count, context.plan),
                   .local = {kGroup, 1, 1},
                   .iterations = kMaxGates * loop_of(push.hidden % 4 == 0 ? push.hidden / 4 : push.hidden)});
    }
    from = next;
    std::swap(next, after);
  }
}

CellKind cell_of(const NodeView& node) {
  switch (parts_of(node)[0]) {
    case kRnnTanh: return CellKind::rnn_tanh;
    case kRnnRelu: return CellKind::rnn_relu;
    case kGru: return CellKind::gru;
    default: return CellKind::gru_reset;
  }
}

struct Steps {
  SequenceLayer layer;
  StepPush push;
};

Steps steps_of(const LoweringContext& context, const StepPush& push, Buffer gates) {
  const SequenceLayer layer{.cell = cell_of(context.node),
                            .steps = push.steps,
                            .batch = push.batch,
                            .hidden = push.hidden,
                            .directions = push.directions,
                            .all_directions = push.directions,
                            .backward = push.backward,
                            .gates = gates,
                            .first_hidden = context.input(kHidden),
                            .first_cell = context.input(kHidden),
                            .last_hidden = context.output(1),
                            .last_cell = context.output(1),
                            .to = context.output()};
  return {layer, push};
}

constexpr Kernel<Steps> kKernels[] = {
    {kSequence,
     [](const LoweringContext& context, const Steps& steps) {
       return why_not_sequence(context, steps.layer);
     },
     [](const LoweringContext& context, const Steps& steps) { return add_sequence(context, steps.layer); }},
    {kSteps, nullptr,
     [](const LoweringContext& context, const Steps& steps) {
       add_steps(context, steps.push, steps.layer.gates);
       return Status();
     }},
};

}  // namespace

Status lower_recurrent(const LoweringContext& context) {
  NNRT_ASSIGN(const StepPush push, push_of(context.node));
  const uint64_t dispatches = uint64_t(push.steps) * parts_of(context.node).size();
  if (dispatches > kMaxDispatches) {
    return unsupported("The steps' dispatches (", dispatches, ") exceed the GPU's limit (", kMaxDispatches,
                       ").");
  }
  const int64_t columns = context.node.shape(kInputWeight)[1];
  NNRT_TRY(count_of({push.directions, push.steps, push.batch, columns}));
  NNRT_ASSIGN(const Buffer gates, add_input_gates(context,
                                                  {.rows = push.steps * push.batch,
                                                   .inputs = uint32_t(context.node.shape(kInput)[2]),
                                                   .gates = uint32_t(columns),
                                                   .directions = push.directions},
                                                  context.input(kInput)));
  return lower_by_list(std::span<const Kernel<Steps>>(kKernels), context, steps_of(context, push, gates));
}

}  // namespace nnrt::vulkan
