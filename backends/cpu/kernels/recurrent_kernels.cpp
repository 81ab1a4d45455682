// GRU and RNN: one layer, uni- or bidirectional.
#include "backends/cpu/base/element.h"
#include "backends/cpu/base/kernel_families.h"
#include "backends/cpu/gemm/f32_gemm.h"
#include "backends/cpu/kernels/unit_groups.h"
#include "backends/cpu/simd/vector_math.h"

#include <algorithm>
#include <array>

namespace nnrt::cpu {
namespace {

enum Input : size_t { kInput, kInputWeight, kHiddenWeight, kBias, kHidden };
enum Gate : int64_t { kUpdate, kReset, kCandidate, kGruGates };  // GRU gates in ONNX's order

// Units are computed in groups of one panel of columns; the last group may be padded. A group has one panel
// per gate, and its gates are adjacent, so the thread that sums them can also update its states.
struct Sizes {
  int64_t steps, batch, inputs, hidden, directions, gates;
  bool starts_backward;  // the first direction runs backward
  bool resets_product;   // GRU: the reset gate multiplies the product with the weights, not the state
  bool rectifies;        // RNN: the activation is RELU
  int64_t width;

  int64_t groups() const { return divide_up(hidden, width); }
  int64_t units() const { return groups() * width; }
  int64_t group_gates() const { return gates * width; }
  int64_t columns() const { return groups() * group_gates(); }
  int64_t state() const { return batch * units(); }
  // Prepacked floats per direction: both weights in panels, and the biases of both products.
  int64_t direction_floats() const { return columns() * (inputs + hidden + 2); }
};

Sizes sizes_of(const NodeView& node) {
  const Attrs& attrs = node.attrs();
  const bool is_gru = node.op() == Op::gru;
  return {.steps = node.shape(kInput)[0],
          .batch = node.shape(kInput)[1],
          .inputs = node.shape(kInput)[2],
          .hidden = node.shape(kHiddenWeight)[2],
          .directions = node.shape(kInputWeight)[0],
          .gates = is_gru ? int64_t{kGruGates} : 1,
          .starts_backward = attrs.integer(Attr::direction) == 1,
          .resets_product = is_gru && attrs.flag(Attr::linear_before_reset),
          .rectifies = !is_gru && attrs.integer(Attr::mode) == 1,
          .width = f32_block(vector_bytes()).columns};
}

// Packs a group's weights, [gates * hidden][inner], into one panel per gate.
void pack_group(const Sizes& sizes, const float* weight, int64_t inner, int64_t group, float* to) {
  const int64_t unit = group * sizes.width, count = std::min(sizes.width, sizes.hidden - unit);
  std::fill_n(to, sizes.group_gates() * inner, 0.0f);
  for (int64_t gate = 0; gate < sizes.gates; ++gate) {
    const float* const rows = weight + (gate * sizes.hidden + unit) * inner;
    float* const panel = to + gate * inner * sizes.width;
    for (int64_t column = 0; column < count; ++column)
      for (int64_t k = 0; k < inner; ++k) panel[k * sizes.width + column] = rows[column * inner + k];
  }
}

// Prepacked weights of a direction.
struct Weights {
  const float *input, *hidden, *input_bias, *hidden_bias;
};
template <typename Float>
auto parts_of(const Sizes& sizes, Float* direction) {
  Float* const hidden = direction + sizes.columns() * sizes.inputs;
  Float* const bias = hidden + sizes.columns() * sizes.hidden;
  return std::array{direction, hidden, bias, bias + sizes.columns()};
}

// Both biases are added to the input's product, unless the reset gate is applied between them.
void pack_bias(const Sizes& sizes, const float* both, float* input_bias, float* hidden_bias) {
  const int64_t rows = sizes.gates * sizes.hidden;
  std::fill_n(input_bias, 2 * sizes.columns(), 0.0f);
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t gate = row / sizes.hidden, unit = row % sizes.hidden;
    const int64_t at = unit / sizes.width * sizes.group_gates() + gate * sizes.width + unit % sizes.width;
    const bool apart = sizes.resets_product && gate == kCandidate;
    input_bias[at] = apart ? both[row] : both[row] + both[rows + row];
    hidden_bias[at] = apart ? both[rows + row] : 0;
  }
}

PrepackedBytes prepacked_weights(const KernelArgs& args, const Sizes& sizes) {
  const size_t bytes = size_t(sizes.directions * sizes.direction_floats()) * sizeof(float);
  return args.prepacked_of(kInputWeight, kBias, bytes, [&](std::byte* memory) {
    const FloatInput input(args, kInputWeight), hidden(args, kHiddenWeight), bias(args, kBias);
    const int64_t rows = sizes.gates * sizes.hidden;
    for (int64_t direction = 0; direction < sizes.directions; ++direction) {
      const auto [to_input, to_hidden, input_bias, hidden_bias] =
          parts_of(sizes, reinterpret_cast<float*>(memory) + direction * sizes.direction_floats());
      pack_bias(sizes, bias.data() + direction * 2 * rows, input_bias, hidden_bias);
      float *const inputs_to = to_input, *const hidden_to = to_hidden;
      args.pool.parallel_for(sizes.groups(), 1, [&, direction](int64_t begin, int64_t end) {
        for (int64_t group = begin; group < end; ++group) {
          const int64_t first = group * sizes.group_gates();
          pack_group(sizes, input.data() + direction * rows * sizes.inputs, sizes.inputs, group,
                     inputs_to + first * sizes.inputs);
          pack_group(sizes, hidden.data() + direction * rows * sizes.hidden, sizes.hidden, group,
                     hidden_to + first * sizes.hidden);
        }
      });
    }
  });
}

// One direction: `from` is [steps, batch, inputs], `to` its part of [steps, batch, directions * hidden].
// States are [batch, units]; `hidden` holds those before and after a step.
struct Pass {
  const float* from;
  Weights weights;
  bool backward;
  float* gates;  // [steps, batch, columns]
  float* hidden[2];
  float* middle;  // GRU: [batch, units], the side of the product that the reset gate multiplies
  float* to;
};

// One step of one group of units.
class GroupStep {
 public:
  GroupStep(const Sizes& sizes, const Pass& pass, int64_t step, int64_t group)
      : sizes_(sizes),
        pass_(pass),
        time_(pass.backward ? sizes.steps - 1 - step : step),
        first_(group * sizes.group_gates()),
        unit_(group * sizes.width),
        before_(pass.hidden[step % 2]),
        after_(pass.hidden[1 - step % 2]),
        gates_(pass.gates + time_ * sizes.batch * sizes.columns() + first_) {}

  void rnn() const {
    add_products(before_, 0, 1);
    for_each([&](auto bytes, const float* gates, int64_t at) __attribute__((always_inline)) {
      auto value = load<bytes>(gates);
      if (sizes_.rectifies) {
        value = value < 0 ? Vector<bytes>{} : value;
      } else {
        tanh_of<bytes>(value);
      }
      store<bytes>(after_ + at, value);
    });
    store_output();
  }

  // GRU whose reset gate multiplies the product.
  void gru_of_product() const {
    add_products(before_, kUpdate, 2);
    const int64_t panel = kCandidate * sizes_.width;
    multiply_rows(rows_of(before_), panel_of(kCandidate), sizes_.width,
                  pass_.weights.hidden_bias + first_ + panel, {pass_.middle + unit_, sizes_.units(), false});
    for_each([&](auto bytes, const float* gates, int64_t at) __attribute__((always_inline)) {
      auto reset = load<bytes>(gates + kReset * sizes_.width);
      sigmoid_of<bytes>(reset);
      auto candidate = load<bytes>(gates + panel) + reset * load<bytes>(pass_.middle + at);
      mix<bytes>(gates, candidate, at);
    });
    store_output();
  }

  // GRU whose reset gate multiplies the state: all groups reset before any computes its candidates.
  void gru_reset() const {
    add_products(before_, kUpdate, 2);
    for_each([&](auto bytes, const float* gates, int64_t at) __attribute__((always_inline)) {
      auto reset = load<bytes>(gates + kReset * sizes_.width);
      sigmoid_of<bytes>(reset);
      store<bytes>(pass_.middle + at, reset * load<bytes>(before_ + at));
    });
  }
  void gru_of_state() const {
    add_products(pass_.middle, kCandidate, 1);
    for_each([&](auto bytes, const float* gates, int64_t at) __attribute__((always_inline)) {
      auto candidate = load<bytes>(gates + kCandidate * sizes_.width);
      mix<bytes>(gates, candidate, at);
    });
    store_output();
  }

 private:
  Rows rows_of(const float* state) const { return {state, sizes_.units(), sizes_.batch, sizes_.hidden}; }
  const float* panel_of(int64_t gate) const {
    return pass_.weights.hidden + (first_ + gate * sizes_.width) * sizes_.hidden;
  }
  // Adds the product of state and weights to `count` gates.
  void add_products(const float* state, int64_t gate, int64_t count) const {
    const int64_t panel = gate * sizes_.width;
    multiply_rows(rows_of(state), panel_of(gate), count * sizes_.width,
                  pass_.weights.hidden_bias + first_ + panel, {gates_ + panel, sizes_.columns(), true});
  }

  // The new state from the candidates (before their activation) and the update gate.
  template <int Bytes>
  NNRT_INLINE void mix(const float* gates, Vector<Bytes>& candidate, int64_t at) const {
    Vector<Bytes> update = load<Bytes>(gates + kUpdate * sizes_.width);
    sigmoid_of<Bytes>(update);
    tanh_of<Bytes>(candidate);
    store<Bytes>(after_ + at, (1.0f - update) * candidate + update * load<Bytes>(before_ + at));
  }

  // Calls f(bytes, gates, place in a state) for each vector of units.
  template <typename F>
  void for_each(const F& f) const {
    with_vectors(
        vector_bytes(), [&](auto bytes) __attribute__((always_inline)) {
          constexpr int64_t kLanes = bytes / int64_t(sizeof(float));
          for (int64_t b = 0; b < sizes_.batch; ++b)
            for (int64_t lane = 0; lane < sizes_.width; lane += kLanes)
              f(bytes, gates_ + b * sizes_.columns() + lane, b * sizes_.units() + unit_ + lane);
        });
  }

  void store_output() const {
    const int64_t count = std::min(sizes_.width, sizes_.hidden - unit_);
    const int64_t pitch = sizes_.directions * sizes_.hidden;
    for (int64_t b = 0; b < sizes_.batch; ++b)
      std::copy_n(after_ + b * sizes_.units() + unit_, count,
                  pass_.to + (time_ * sizes_.batch + b) * pitch + unit_);
  }

  const Sizes& sizes_;
  const Pass& pass_;
  const int64_t time_, first_, unit_;  // first_ gate and unit_ of the group
  const float* const before_;
  float* const after_;
  float* const gates_;
};

void run(const Pass& pass, const Sizes& sizes, ThreadPool& pool) {
  const int64_t rows = sizes.steps * sizes.batch;
  for_unit_groups(
      pool, sizes.groups(), rows * sizes.inputs * sizes.group_gates(), [&](int64_t begin, int64_t end) {
        const int64_t first = begin * sizes.group_gates();
        multiply_rows({pass.from, sizes.inputs, rows, sizes.inputs},
                      pass.weights.input + first * sizes.inputs, (end - begin) * sizes.group_gates(),
                      pass.weights.input_bias + first, {pass.gates + first, sizes.columns(), false});
      });
  for (int64_t step = 0; step < sizes.steps; ++step) {
    const auto each = [&](void (GroupStep::*part)() const) {
      for_unit_groups(pool, sizes.groups(), sizes.batch * sizes.hidden * sizes.group_gates(),
                      [&](int64_t begin, int64_t end) {
                        for (int64_t group = begin; group < end; ++group)
                          (GroupStep(sizes, pass, step, group).*part)();
                      });
    };
    if (sizes.gates == 1) {
      each(&GroupStep::rnn);
    } else if (sizes.resets_product) {
      each(&GroupStep::gru_of_product);
    } else {
      each(&GroupStep::gru_reset);
      each(&GroupStep::gru_of_state);
    }
  }
}

Status prepack_recurrent(const KernelArgs& args) {
  static_cast<void>(prepacked_weights(args, sizes_of(args.node)));
  return {};
}

Status recurrent(const KernelArgs& args) {
  const Sizes sizes = sizes_of(args.node);
  const PrepackedBytes prepacked = prepacked_weights(args, sizes);
  const FloatInput input(args, kInput), start(args, kHidden);
  FloatOutput output(args, 0), last(args, 1);

  const int64_t gate_floats = sizes.steps * sizes.batch * sizes.columns();
  auto* const memory =
      reinterpret_cast<float*>(args.scratch->of_all(size_t(gate_floats + 3 * sizes.state()) * sizeof(float)));
  float* const states = memory + gate_floats;
  for (int64_t direction = 0; direction < sizes.directions; ++direction) {
    const auto parts = parts_of(sizes, prepacked.as<float>() + direction * sizes.direction_floats());
    const Pass pass{input.data(),
                    {parts[0], parts[1], parts[2], parts[3]},
                    direction == 1 || sizes.starts_backward,
                    memory,
                    {states, states + sizes.state()},
                    states + 2 * sizes.state(),
                    output.data() + direction * sizes.hidden};
    // Padding units start at 0; nothing reads them later.
    std::fill_n(states, 3 * sizes.state(), 0.0f);
    const int64_t place = direction * sizes.batch * sizes.hidden;
    for (int64_t b = 0; b < sizes.batch; ++b)
      std::copy_n(start.data() + place + b * sizes.hidden, sizes.hidden, states + b * sizes.units());
    run(pass, sizes, args.pool);
    const float* const end = pass.hidden[sizes.steps % 2];
    for (int64_t b = 0; b < sizes.batch; ++b)
      std::copy_n(end + b * sizes.units(), sizes.hidden, last.data() + place + b * sizes.hidden);
  }
  output.store();
  last.store();
  return {};
}

constexpr KernelRow kRecurrentKernels[] = {{Op::gru, recurrent, prepack_recurrent},
                                           {Op::rnn, recurrent, prepack_recurrent}};

}  // namespace

std::span<const KernelRow> recurrent_kernels() { return kRecurrentKernels; }

}  // namespace nnrt::cpu
