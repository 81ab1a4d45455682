#include "backends/cpu/element.h"
#include "backends/cpu/linear_kernels.h"
#include "backends/cpu/linear_product.h"

#include <algorithm>
#include <cmath>

namespace nnrt::cpu {
namespace {

struct Sizes {
  int64_t steps, batch, hidden, directions;
  bool has_bias;
  float keep_cell, keep_hidden;  // zoneout: how much of a state stays as it was
  int64_t gates() const { return 4 * hidden; }
  int64_t state() const { return batch * hidden; }
};

// to[rows, columns] = left[rows, inner] x weight[columns, inner]^T.
void multiply_into(const float* left, const float* weight, int64_t rows, int64_t columns, int64_t inner,
                   float* to, ThreadPool& pool) {
  Product<float> product{rows, columns, inner};
  product.left = [=](int64_t begin, int64_t, std::vector<float>&) {
    return RowTile{left + begin * inner, inner};
  };
  product.right = contiguous_columns(weight, inner, columns, inner, {});
  product.store = [=](const Sums<float>& sums) {
    for (int64_t r = 0; r < sums.rows; ++r)
      std::copy_n(sums.data + r * sums.stride, sums.columns, to + (sums.row + r) * columns + sums.column);
  };
  multiply(product, pool);
}

float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

// One step of one element of the batch. `gates` are input, output, forget, cell.
void advance(const Sizes& sizes, const float* gates, float* hidden, float* cell, float* output) {
  for (int64_t j = 0; j < sizes.hidden; ++j) {
    const float in = sigmoid(gates[j]);
    const float out = sigmoid(gates[sizes.hidden + j]);
    const float forget = sigmoid(gates[2 * sizes.hidden + j]);
    const float candidate = std::tanh(gates[3 * sizes.hidden + j]);
    const float new_cell = forget * cell[j] + in * candidate;
    output[j] = out * std::tanh(new_cell);
    // Zoneout acts on the states that are carried on, not on this step's output.
    cell[j] = sizes.keep_cell * cell[j] + (1 - sizes.keep_cell) * new_cell;
    hidden[j] = sizes.keep_hidden * hidden[j] + (1 - sizes.keep_hidden) * output[j];
  }
}

// One layer in one direction: `from` [steps, batch, inputs], `to` its half of [steps, batch, directions *
// hidden].
struct Pass {
  const float* from;
  int64_t inputs;
  const float* input_weight;
  const float* hidden_weight;
  const float* bias;
  bool backward;
  float* hidden;  // states, from those of the start to those of the end
  float* cell;
  float* to;
};

void run(const Pass& pass, const Sizes& sizes, ThreadPool& pool) {
  const int64_t gates = sizes.gates();
  std::vector<float> bias(static_cast<size_t>(gates));
  if (sizes.has_bias)
    for (int64_t j = 0; j < gates; ++j) bias[size_t(j)] = pass.bias[j] + pass.bias[gates + j];
  std::vector<float> from_inputs(static_cast<size_t>(sizes.steps * sizes.batch * gates));
  multiply_into(pass.from, pass.input_weight, sizes.steps * sizes.batch, gates, pass.inputs,
                from_inputs.data(), pool);

  std::vector<float> sums(static_cast<size_t>(sizes.batch * gates));
  for (int64_t step = 0; step < sizes.steps; ++step) {
    const int64_t t = pass.backward ? sizes.steps - 1 - step : step;
    multiply_into(pass.hidden, pass.hidden_weight, sizes.batch, gates, sizes.hidden, sums.data(), pool);
    for (int64_t b = 0; b < sizes.batch; ++b) {
      float* row = sums.data() + b * gates;
      const float* from_input = from_inputs.data() + (t * sizes.batch + b) * gates;
      for (int64_t j = 0; j < gates; ++j) row[j] += from_input[j] + bias[size_t(j)];
      advance(sizes, row, pass.hidden + b * sizes.hidden, pass.cell + b * sizes.hidden,
              pass.to + (t * sizes.batch + b) * sizes.directions * sizes.hidden);
    }
  }
}

Sizes sizes_of(const NodeView& node) {
  const Attrs& attrs = node.attrs();
  return {.steps = node.shape(0)[0],
          .batch = node.shape(0)[1],
          .hidden = node.shape(2)[2],
          .directions = attrs.flag(Attr::bidirectional) ? 2 : 1,
          .has_bias = attrs.flag(Attr::has_bias),
          .keep_cell = float(attrs.real(Attr::zoneout_cell)),
          .keep_hidden = float(attrs.real(Attr::zoneout_hidden))};
}

}  // namespace

Status lstm(const KernelArgs& args) {
  enum Input : size_t { kInput, kInputWeight, kHiddenWeight, kBias, kHidden, kCell };
  const Sizes sizes = sizes_of(args.node);
  const FloatInput input(args, kInput), input_weight(args, kInputWeight), hidden_weight(args, kHiddenWeight);
  const FloatInput bias(args, kBias), hidden_start(args, kHidden), cell_start(args, kCell);
  FloatOutput output(args, 0), hidden(args, 1), cell(args, 2);
  std::ranges::copy(hidden_start.values(), hidden.data());
  std::ranges::copy(cell_start.values(), cell.data());

  const int64_t inputs = args.node.shape(kInput)[2];
  const int64_t layers = args.node.shape(kInputWeight)[0] / sizes.directions;
  std::vector<float> below(input.values().begin(), input.values().end());
  for (int64_t layer = 0; layer < layers; ++layer) {
    for (int64_t direction = 0; direction < sizes.directions; ++direction) {
      const int64_t k = layer * sizes.directions + direction;
      run({.from = below.data(),
           .inputs = inputs,
           .input_weight = input_weight.data() + k * sizes.gates() * inputs,
           .hidden_weight = hidden_weight.data() + k * sizes.gates() * sizes.hidden,
           .bias = bias.data() + k * 2 * sizes.gates(),
           .backward = direction == 1,
           .hidden = hidden.data() + k * sizes.state(),
           .cell = cell.data() + k * sizes.state(),
           .to = output.data() + direction * sizes.hidden},
          sizes, args.pool);
    }
    if (layer + 1 < layers) below.assign(output.values().begin(), output.values().end());
  }
  output.store();
  hidden.store();
  cell.store();
  return {};
}

}  // namespace nnrt::cpu
