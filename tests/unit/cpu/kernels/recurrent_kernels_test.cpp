#include "tests/support/node_maker.h"

#include <cmath>

namespace nnrt::cpu {
namespace {

using test::NodeMaker;

float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

std::vector<float> values(int64_t count, size_t seed) {
  std::vector<float> result(static_cast<size_t>(count));
  for (size_t i = 0; i < result.size(); ++i) result[i] = float(int((i * 37 + seed * 11) % 101) - 50) / 200;
  return result;
}

// Reference for one direction by the formulas of operators/gemm_conv.md GRU and operators/gemm_conv.md RNN.
struct PlainLayer {
  int64_t steps, batch, inputs, hidden, gates;
  bool linear, relu;
  const float *input_weight, *hidden_weight, *bias;

  float input_part(const float* x, int64_t row) const {
    float sum = bias[row];
    for (int64_t k = 0; k < inputs; ++k) sum += x[k] * input_weight[row * inputs + k];
    return sum;
  }
  float product(const std::vector<float>& h, int64_t row) const {
    float sum = 0;
    for (int64_t k = 0; k < hidden; ++k) sum += h[size_t(k)] * hidden_weight[row * hidden + k];
    return sum;
  }
  float hidden_bias(int64_t row) const { return bias[gates * hidden + row]; }

  std::vector<float> rnn_step(const float* x, const std::vector<float>& h) const {
    std::vector<float> next(h.size());
    for (int64_t j = 0; j < hidden; ++j) {
      const float sum = input_part(x, j) + product(h, j) + hidden_bias(j);
      next[size_t(j)] = relu ? std::max(sum, 0.0f) : std::tanh(sum);
    }
    return next;
  }
  std::vector<float> gru_step(const float* x, const std::vector<float>& h) const {
    std::vector<float> next(h.size()), reset(h.size()), reset_h(h.size());
    for (int64_t j = 0; j < hidden; ++j) {
      const int64_t row = hidden + j;
      reset[size_t(j)] = sigmoid(input_part(x, row) + product(h, row) + hidden_bias(row));
      reset_h[size_t(j)] = reset[size_t(j)] * h[size_t(j)];
    }
    for (int64_t j = 0; j < hidden; ++j) {
      const int64_t row = 2 * hidden + j;
      const float update = sigmoid(input_part(x, j) + product(h, j) + hidden_bias(j));
      const float part = linear ? reset[size_t(j)] * (product(h, row) + hidden_bias(row))
                                : product(reset_h, row) + hidden_bias(row);
      next[size_t(j)] = (1 - update) * std::tanh(input_part(x, row) + part) + update * h[size_t(j)];
    }
    return next;
  }

  void run(const float* from, bool backward, float* state, float* to, int64_t to_step) const {
    for (int64_t b = 0; b < batch; ++b) {
      std::vector<float> h(state + b * hidden, state + (b + 1) * hidden);
      for (int64_t step = 0; step < steps; ++step) {
        const int64_t at = (backward ? steps - 1 - step : step) * batch + b;
        h = gates == 1 ? rnn_step(from + at * inputs, h) : gru_step(from + at * inputs, h);
        std::copy(h.begin(), h.end(), to + at * to_step);
      }
      std::copy(h.begin(), h.end(), state + b * hidden);
    }
  }
};

struct Case {
  const char* name;
  Op op;
  int64_t hidden;  // also more than one group of vectors
  int64_t direction;
  bool option;  // linear before reset, or RELU
};
std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

class Recurrent : public testing::TestWithParam<Case> {};

TEST_P(Recurrent, FollowsItsFormula) {
  const Case& c = GetParam();
  constexpr int64_t kSteps = 4, kBatch = 3, kInputs = 5;
  const int64_t directions = c.direction == 2 ? 2 : 1, gates = c.op == Op::gru ? 3 : 1;
  const int64_t rows = gates * c.hidden;
  const auto x = values(kSteps * kBatch * kInputs, 1), w = values(directions * rows * kInputs, 2),
             r = values(directions * rows * c.hidden, 3), bias = values(directions * 2 * rows, 4);
  auto state = values(directions * kBatch * c.hidden, 5);
  NodeMaker maker(c.op);
  maker.integer(Attr::direction, {double(c.direction)});
  maker.integer(gates == 3 ? Attr::linear_before_reset : Attr::mode, {double(c.option)});
  maker.input<float>({kSteps, kBatch, kInputs}, x).input<float>({directions, rows, kInputs}, w);
  maker.input<float>({directions, rows, c.hidden}, r).input<float>({directions, 2 * rows}, bias);
  maker.input<float>({directions, kBatch, c.hidden}, state);
  maker.output(DType::f32, {kSteps, kBatch, directions * c.hidden});
  maker.output(DType::f32, {directions, kBatch, c.hidden});
  ASSERT_TRUE(maker.run());

  std::vector<float> want(size_t(kSteps * kBatch * directions * c.hidden));
  for (int64_t k = 0; k < directions; ++k) {
    const PlainLayer plain{kSteps,
                           kBatch,
                           kInputs,
                           c.hidden,
                           gates,
                           gates == 3 && c.option,
                           gates == 1 && c.option,
                           w.data() + k * rows * kInputs,
                           r.data() + k * rows * c.hidden,
                           bias.data() + k * 2 * rows};
    plain.run(x.data(), c.direction == 1 || k == 1, state.data() + k * kBatch * c.hidden,
              want.data() + k * c.hidden, directions * c.hidden);
  }
  test::expect_near(maker.result<float>(0), want, 1e-5f);
  test::expect_near(maker.result<float>(1), state, 1e-5f);
}

const Case kCases[] = {
    {"GruForward", Op::gru, 7, 0, false},        {"GruBackward", Op::gru, 32, 1, false},
    {"GruBothWays", Op::gru, 67, 2, false},      {"GruLinear", Op::gru, 7, 0, true},
    {"GruLinearBothWays", Op::gru, 67, 2, true}, {"RnnForward", Op::rnn, 7, 0, false},
    {"RnnReluBackward", Op::rnn, 33, 1, true},   {"RnnBothWays", Op::rnn, 67, 2, false},
};
INSTANTIATE_TEST_SUITE_P(Layers, Recurrent, testing::ValuesIn(kCases),
                         [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace nnrt::cpu
