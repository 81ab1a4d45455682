#include "backends/cpu/base/element.h"
#include "backends/cpu/base/kernel_families.h"
#include "backends/cpu/gemm/f32_gemm.h"
#include "backends/cpu/kernels/unit_groups.h"
#include "backends/cpu/simd/vector_math.h"

#include <algorithm>
#include <limits>

namespace nnrt::cpu {
namespace {

constexpr int64_t kGates = 4;  // input, output, forget, cell

enum Input : size_t { kInput, kInputWeight, kHiddenWeight, kBias, kHidden, kCell };

// Units are computed in groups of one vector of lanes; the last group may be padded. A group's gates are
// adjacent, so the thread that sums them can also update its states.
struct Sizes {
  int64_t steps, batch, inputs, hidden, directions, passes;  // one pass per layer and direction
  bool has_bias;
  float keep_cell, keep_hidden;  // zoneout: fraction of a state that is kept
  float cell_clip;               // infinite if there is none
  int64_t lanes;

  int64_t groups() const { return divide_up(hidden, lanes); }
  int64_t units() const { return groups() * lanes; }
  int64_t group_gates() const { return kGates * lanes; }
  int64_t gates() const { return groups() * group_gates(); }
  int64_t state() const { return batch * units(); }
  // Prepacked floats per pass: both weights in panels, the bias, and as many zeros.
  int64_t pass_floats() const { return gates() * (inputs + hidden + 2); }
};

Sizes sizes_of(const NodeView& node) {
  const Attrs& attrs = node.attrs();
  const auto cell_clip = float(attrs.real(Attr::cell_clip));
  return {.steps = node.shape(kInput)[0],
          .batch = node.shape(kInput)[1],
          .inputs = node.shape(kInput)[2],
          .hidden = node.shape(kHiddenWeight)[2],
          .directions = attrs.flag(Attr::bidirectional) ? 2 : 1,
          .passes = node.shape(kInputWeight)[0],
          .has_bias = attrs.flag(Attr::has_bias),
          .keep_cell = float(attrs.real(Attr::zoneout_cell)),
          .keep_hidden = float(attrs.real(Attr::zoneout_hidden)),
          .cell_clip = cell_clip > 0 ? cell_clip : std::numeric_limits<float>::infinity(),
          .lanes = f32_block(vector_bytes()).lanes};
}

// Packs a group's weights, [kGates * hidden][inner], into two panels of two gates each.
void pack_group(const Sizes& sizes, const float* weight, int64_t inner, int64_t group, float* to) {
  for (int64_t gate = 0; gate < kGates; ++gate) {
    float* const panel = to + gate / 2 * inner * 2 * sizes.lanes + gate % 2 * sizes.lanes;
    for (int64_t lane = 0; lane < sizes.lanes; ++lane) {
      const int64_t unit = group * sizes.lanes + lane;
      const float* const row = weight + (gate * sizes.hidden + unit) * inner;
      for (int64_t k = 0; k < inner; ++k)
        panel[k * 2 * sizes.lanes + lane] = unit < sizes.hidden ? row[k] : 0;
    }
  }
}

// Prepacked weights of a pass.
struct Weights {
  const float *input, *hidden, *bias, *zeros;
};
Weights weights_of(const Sizes& sizes, const float* pass) {
  const float* const hidden = pass + sizes.gates() * sizes.inputs;
  const float* const bias = hidden + sizes.gates() * sizes.hidden;
  return {pass, hidden, bias, bias + sizes.gates()};
}

PrepackedBytes prepacked_weights(const KernelArgs& args, const Sizes& sizes) {
  const size_t bytes = size_t(sizes.passes * sizes.pass_floats()) * sizeof(float);
  return args.prepacked_of(kInputWeight, kBias, bytes, [&](std::byte* memory) {
    const FloatInput input(args, kInputWeight), hidden(args, kHiddenWeight), bias(args, kBias);
    const int64_t rows = kGates * sizes.hidden;
    args.pool.parallel_for(sizes.passes * sizes.groups(), 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t pass = i / sizes.groups(), group = i % sizes.groups();
        float* const to = reinterpret_cast<float*>(memory) + pass * sizes.pass_floats();
        float* const own_hidden = to + sizes.gates() * sizes.inputs;
        float* const own_bias = own_hidden + sizes.gates() * sizes.hidden;
        const int64_t first = group * sizes.group_gates();
        pack_group(sizes, input.data() + pass * rows * sizes.inputs, sizes.inputs, group,
                   to + first * sizes.inputs);
        pack_group(sizes, hidden.data() + pass * rows * sizes.hidden, sizes.hidden, group,
                   own_hidden + first * sizes.hidden);
        for (int64_t k = 0; k < sizes.group_gates(); ++k) {
          const int64_t gate = k / sizes.lanes, unit = group * sizes.lanes + k % sizes.lanes;
          const float* const both = bias.data() + pass * 2 * rows + gate * sizes.hidden + unit;
          own_bias[first + k] = sizes.has_bias && unit < sizes.hidden ? both[0] + both[rows] : 0;
          own_bias[sizes.gates() + first + k] = 0;
        }
      }
    });
  });
}

// The gates of `groups` groups in [rows, gates] at `to`, accumulated or overwritten.
void multiply_groups(const Sizes& sizes, const Rows& from, const float* weight, int64_t groups,
                     const float* bias, bool adds, float* to) {
  multiply_rows(from, weight, groups * sizes.group_gates(), bias, {to, sizes.gates(), adds});
}

// The states of a group's units for one batch element.
struct Units {
  const float* gates;
  const float* old_hidden;
  float *hidden, *cell;
  float* output;  // all lanes
};
void advance(const Sizes& sizes, const Units& units) {
  with_vectors(
      vector_bytes(), [&](auto bytes) __attribute__((always_inline)) {
        using V = Vector<bytes>;
        constexpr int64_t kLanes = bytes / int64_t(sizeof(float));
        V in = load<bytes>(units.gates), out = load<bytes>(units.gates + kLanes);
        V forget = load<bytes>(units.gates + 2 * kLanes), candidate = load<bytes>(units.gates + 3 * kLanes);
        sigmoid_of<bytes>(in);
        sigmoid_of<bytes>(out);
        sigmoid_of<bytes>(forget);
        tanh_of<bytes>(candidate);
        const V cell = load<bytes>(units.cell);
        V new_cell = forget * cell + in * candidate;
        const V limit = V{} + sizes.cell_clip;
        new_cell = new_cell > limit ? limit : new_cell < -limit ? -limit : new_cell;
        V result = new_cell;
        tanh_of<bytes>(result);
        result *= out;
        // Zoneout applies to the carried states, not to this step's output.
        store<bytes>(units.cell, sizes.keep_cell * cell + (1 - sizes.keep_cell) * new_cell);
        store<bytes>(units.hidden,
                     sizes.keep_hidden * load<bytes>(units.old_hidden) + (1 - sizes.keep_hidden) * result);
        store<bytes>(units.output, result);
      });
}

// One layer in one direction: `from` is [steps, batch, inputs], `to` its half of [steps, batch, directions *
// hidden]. States are [batch, units]; `hidden` holds those before and after a step.
struct Pass {
  const float* from;
  Weights weights;
  bool backward;
  float* gates;  // [steps, batch, gates]
  float* hidden[2];
  float* cell;
  float* to;
};

void advance_group(const Pass& pass, const Sizes& sizes, int64_t step, int64_t group) {
  const int64_t t = pass.backward ? sizes.steps - 1 - step : step;
  const float* const before = pass.hidden[step % 2];
  const float* const gates = pass.gates + t * sizes.batch * sizes.gates() + group * sizes.group_gates();
  const int64_t unit = group * sizes.lanes, count = std::min(sizes.lanes, sizes.hidden - unit);
  for (int64_t b = 0; b < sizes.batch; ++b) {
    float output[kMaxFloatColumns];
    const int64_t at = b * sizes.units() + unit;
    advance(sizes,
            {gates + b * sizes.gates(), before + at, pass.hidden[1 - step % 2] + at, pass.cell + at, output});
    std::copy_n(output, count, pass.to + (t * sizes.batch + b) * sizes.directions * sizes.hidden + unit);
  }
}

// One step of the groups [begin, end). Every other step runs backward through the groups, so that the weights
// of the last ones are still in the cache.
void run_groups(const Pass& pass, const Sizes& sizes, int64_t step, int64_t begin, int64_t end) {
  constexpr int64_t kAtOnce = 2;  // have enough columns for a row to hide the latency of additions
  const int64_t t = pass.backward ? sizes.steps - 1 - step : step;
  const Rows state{pass.hidden[step % 2], sizes.units(), sizes.batch, sizes.hidden};
  const int64_t turns = (end - begin + kAtOnce - 1) / kAtOnce;
  for (int64_t turn = 0; turn < turns; ++turn) {
    const int64_t group = begin + (step % 2 == 0 ? turn : turns - 1 - turn) * kAtOnce;
    const int64_t count = std::min(kAtOnce, end - group), first = group * sizes.group_gates();
    multiply_groups(sizes, state, pass.weights.hidden + first * sizes.hidden, count, pass.weights.zeros, true,
                    pass.gates + t * sizes.batch * sizes.gates() + first);
    for (int64_t i = 0; i < count; ++i) advance_group(pass, sizes, step, group + i);
  }
}

void run(const Pass& pass, const Sizes& sizes, ThreadPool& pool) {
  const int64_t rows = sizes.steps * sizes.batch;
  const int64_t input_products = rows * sizes.inputs * sizes.group_gates();
  for_unit_groups(pool, sizes.groups(), input_products, [&](int64_t begin, int64_t end) {
    const int64_t first = begin * sizes.group_gates();
    multiply_groups(sizes, {pass.from, sizes.inputs, rows, sizes.inputs},
                    pass.weights.input + first * sizes.inputs, end - begin, pass.weights.bias + first, false,
                    pass.gates + first);
  });
  const int64_t step_products = sizes.batch * sizes.hidden * sizes.group_gates();
  for (int64_t step = 0; step < sizes.steps; ++step) {
    for_unit_groups(pool, sizes.groups(), step_products,
                    [&](int64_t begin, int64_t end) { run_groups(pass, sizes, step, begin, end); });
  }
}

// Expands states from [batch, hidden] to all lanes, and back.
void spread(const Sizes& sizes, const float* from, float* to) {
  std::fill_n(to, sizes.state(), 0.0f);
  for (int64_t b = 0; b < sizes.batch; ++b)
    std::copy_n(from + b * sizes.hidden, sizes.hidden, to + b * sizes.units());
}
void gather(const Sizes& sizes, const float* from, float* to) {
  for (int64_t b = 0; b < sizes.batch; ++b)
    std::copy_n(from + b * sizes.units(), sizes.hidden, to + b * sizes.hidden);
}

Status prepack_lstm(const KernelArgs& args) {
  static_cast<void>(prepacked_weights(args, sizes_of(args.node)));
  return {};
}

Status lstm(const KernelArgs& args) {
  const Sizes sizes = sizes_of(args.node);
  const PrepackedBytes prepacked = prepacked_weights(args, sizes);
  const FloatInput input(args, kInput), hidden_start(args, kHidden), cell_start(args, kCell);
  FloatOutput output(args, 0), hidden(args, 1), cell(args, 2);

  const bool has_layers = sizes.passes > sizes.directions;
  const int64_t gate_floats = sizes.steps * sizes.batch * sizes.gates();
  const int64_t below_floats = has_layers ? output.count() : 0;
  auto* const memory = reinterpret_cast<float*>(
      args.scratch->of_all(size_t(gate_floats + 3 * sizes.state() + below_floats) * sizeof(float)));
  float* const states = memory + gate_floats;
  float* const below = states + 3 * sizes.state();
  const float* from = input.data();
  for (int64_t k = 0; k < sizes.passes; ++k) {
    const int64_t direction = k % sizes.directions, at = k * sizes.batch * sizes.hidden;
    if (k > 0 && direction == 0) {
      std::copy_n(output.data(), below_floats, below);
      from = below;
    }
    const Pass pass{from,
                    weights_of(sizes, prepacked.as<float>() + k * sizes.pass_floats()),
                    direction == 1,
                    memory,
                    {states, states + sizes.state()},
                    states + 2 * sizes.state(),
                    output.data() + direction * sizes.hidden};
    spread(sizes, hidden_start.data() + at, pass.hidden[0]);
    spread(sizes, cell_start.data() + at, pass.cell);
    run(pass, sizes, args.pool);
    gather(sizes, pass.hidden[sizes.steps % 2], hidden.data() + at);
    gather(sizes, pass.cell, cell.data() + at);
  }
  output.store();
  hidden.store();
  cell.store();
  return {};
}

constexpr KernelRow kLstmKernels[] = {{Op::lstm, lstm, prepack_lstm}};

}  // namespace

std::span<const KernelRow> lstm_kernels() { return kLstmKernels; }

}  // namespace nnrt::cpu
