#include "backends/vulkan/lower/common/kernel_list.h"
#include "backends/vulkan/lower/common/lowering_common.h"
#include "backends/vulkan/lower/gemm/input_gates.h"
#include "backends/vulkan/lower/recurrent/lower_recurrent.h"
#include "backends/vulkan/lower/recurrent/sequence_kernel.h"
#include "core/base/text.h"

namespace nnrt::vulkan {
namespace {

enum Input : size_t { kInput, kInputWeight, kHiddenWeight, kBias, kHidden, kCell };

constexpr uint32_t kMaxSteps = 1 << 14;  // steps of all layers, each of which is a dispatch

struct Sizes {
  uint32_t steps = 0, batch = 0, inputs = 0, hidden = 0, directions = 1, layers = 1;

  uint32_t states() const { return directions * batch * hidden; }  // per layer
};

struct StepPush {
  uint32_t count = 0;
  uint32_t step = 0, steps = 0, batch = 0, hidden = 0, directions = 0;
  uint32_t first = 0;
  uint32_t from = 0, to = 0;
  float keep_cell = 0, keep_hidden = 0, cell_clip = 0;
};

// A layer's hidden and cell states, both from element `first` on.
struct States {
  Buffer hidden, cell;
  uint32_t first = 0;
};

Result<Sizes> sizes_of(const NodeView& node) {
  for (size_t i = 0; i < node.input_count(); ++i) NNRT_TRY(count_of(node.shape(i)));
  NNRT_TRY(count_of(node.output_shape()));
  Sizes sizes;
  sizes.steps = uint32_t(node.shape(kInput)[0]);
  sizes.batch = uint32_t(node.shape(kInput)[1]);
  sizes.inputs = uint32_t(node.shape(kInput)[2]);
  sizes.hidden = uint32_t(node.shape(kHiddenWeight)[2]);
  sizes.directions = node.attrs().flag(Attr::bidirectional) ? 2 : 1;
  sizes.layers = uint32_t(node.shape(kInputWeight)[0]) / sizes.directions;
  if (uint64_t(sizes.layers) * sizes.steps > kMaxSteps) {
    return unsupported("Layers times steps (", uint64_t(sizes.layers) * sizes.steps,
                       ") exceed the GPU's limit (", kMaxSteps, ").");
  }
  NNRT_TRY(count_of({sizes.directions, sizes.steps, sizes.batch, 4 * int64_t(sizes.hidden)}));
  return sizes;
}

SequenceLayer layer_of(const LoweringContext& context, const Sizes& sizes, uint32_t layer, Buffer gates,
                       Buffer to) {
  const Attrs& attrs = context.node.attrs();
  return {.cell = CellKind::lstm,
          .has_bias = attrs.flag(Attr::has_bias),
          .steps = sizes.steps,
          .batch = sizes.batch,
          .hidden = sizes.hidden,
          .directions = sizes.directions,
          .all_directions = sizes.layers * sizes.directions,
          .first = layer * sizes.directions,
          .place = layer * sizes.states(),
          .backward = 2,  // bit of the second direction
          .keep_cell = float(attrs.real(Attr::zoneout_cell)),
          .keep_hidden = float(attrs.real(Attr::zoneout_hidden)),
          .cell_clip = float(attrs.real(Attr::cell_clip)),
          .gates = gates,
          .first_hidden = context.input(kHidden),
          .first_cell = context.input(kCell),
          .last_hidden = context.output(1),
          .last_cell = context.output(2),
          .to = to};
}

// One dispatch per step.
Status add_steps(const LoweringContext& context, const SequenceLayer& layer) {
  StepPush push{.count = layer.directions * layer.batch * layer.hidden,
                .steps = layer.steps,
                .batch = layer.batch,
                .hidden = layer.hidden,
                .directions = layer.directions,
                .first = layer.first,
                .keep_cell = layer.keep_cell,
                .keep_hidden = layer.keep_hidden,
                .cell_clip = layer.cell_clip};
  const auto temporary = [&] {
    const size_t bytes = push.count * sizeof(float);
    return States{context.sink.scratch(bytes), context.sink.scratch(bytes)};
  };
  States from{layer.first_hidden, layer.first_cell, layer.place};
  const States last{layer.last_hidden, layer.last_cell, layer.place};
  States next = layer.steps > 1 ? temporary() : last;
  States after = layer.steps > 2 ? temporary() : last;
  for (push.step = 0; push.step < layer.steps; ++push.step) {
    if (push.step + 1 == layer.steps) next = last;
    push.from = from.first;
    push.to = next.first;
    context.sink.add(
        Dispatch{.shader = layer.hidden % 4 == 0 ? "lstm_f32_vec4" : "lstm_f32",
                 .constants = {uint32_t(layer.has_bias)},
                 .push = Push(push),
                 .buffers = {layer.gates, context.input(kHiddenWeight), context.input(kBias), from.hidden,
                             from.cell, next.hidden, next.cell, layer.to},
                 .threads = threads_for(push.count, context.plan),
                 .local = {kGroup, 1, 1},
                 .iterations = loop_of(layer.hidden % 4 == 0 ? layer.hidden / 4 : layer.hidden)});
    from = next;
    std::swap(next, after);
  }
  return {};
}

constexpr Kernel<SequenceLayer> kLayers[] = {
    {kSequence, why_not_sequence, add_sequence},
    {kSteps, nullptr, add_steps},
};

}  // namespace

Status lower_lstm(const LoweringContext& context) {
  NNRT_ASSIGN(const Sizes sizes, sizes_of(context.node));
  const size_t bytes = *element_count(context.node.output_shape()) * sizeof(float);
  Buffer input = context.input(kInput);
  for (uint32_t layer = 0; layer < sizes.layers; ++layer) {
    NNRT_ASSIGN(const Buffer gates, add_input_gates(context,
                                                    {.rows = sizes.steps * sizes.batch,
                                                     .inputs = sizes.inputs,
                                                     .gates = 4 * sizes.hidden,
                                                     .directions = sizes.directions,
                                                     .first = layer * sizes.directions},
                                                    input));
    const bool last = layer + 1 == sizes.layers;
    const Buffer to = last ? context.output() : context.sink.scratch(bytes);
    NNRT_TRY(lower_by_list(std::span<const Kernel<SequenceLayer>>(kLayers), context,
                           layer_of(context, sizes, layer, gates, to)));
    input = to;
  }
  return {};
}

}  // namespace nnrt::vulkan
