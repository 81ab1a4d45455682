#include "tests/import/recurrent/recurrent_case.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace nnrt::test {
namespace {

using enum BuiltinOperator;

// One cell: input weights, recurrent weights and biases for the gates input, forget, cell, output.
struct Cell {
  double input[4], recurrent[4], bias[4];
};
constexpr Cell kForward{{0.5, -0.25, 1, 0.75}, {0.25, 0.5, -0.5, 1}, {0.1, 0.2, -0.1, 0}};
constexpr Cell kBackward{{-0.5, 1, 0.5, 0.25}, {1, -0.25, 0.5, 0.5}, {0, -0.3, 0.2, 0.1}};
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

std::vector<double> walk(const Cell& cell, std::vector<double> steps, double clip = 10) {
  double state = 0, result = 0;
  for (double& step : steps) {
    const auto gate = [&](int i) { return cell.input[i] * step + cell.recurrent[i] * result + cell.bias[i]; };
    const double in = sigmoid(gate(0)), forget = sigmoid(gate(1)), value = std::tanh(gate(2)),
                 out = sigmoid(gate(3));
    state = std::clamp(forget * state + in * value, -clip, clip);
    step = result = out * std::tanh(state);
  }
  return steps;
}

std::vector<double> walk_back(const Cell& cell) {
  std::vector<double> results = walk(cell, {kSteps.rbegin(), kSteps.rend()});
  return {results.rbegin(), results.rend()};
}

std::vector<int32_t> weights(TfliteWriter& writer, const Cell& cell) {
  std::vector<int32_t> ids;
  for (const double weight : cell.input) ids.push_back(writer.tensor(constant(floats({1, 1}, {weight}))));
  for (const double weight : cell.recurrent) ids.push_back(writer.tensor(constant(floats({1, 1}, {weight}))));
  ids.insert(ids.end(), 3, -1);  // no peepholes
  for (const double bias : cell.bias) ids.push_back(writer.tensor(constant(floats({1}, {bias}))));
  ids.insert(ids.end(), 2, -1);  // no projection
  return ids;
}

RecurrentModel unidirectional(bool is_time_major, bool is_dynamic = false, float cell_clip = 10) {
  TfliteWriter writer;
  RecurrentModel made{{}, floats({1, 3, 1}, kSteps), floats({1, 3, 1}, walk(kForward, kSteps, cell_clip))};
  if (is_time_major) made.input.shape = made.result.shape = {3, 1, 1};
  if (is_dynamic) made.input.signature = made.result.signature = {-1, 3, 1};
  std::vector<int32_t> inputs{writer.input(made.input)};
  const auto cell = weights(writer, kForward);
  inputs.insert(inputs.end(), cell.begin(), cell.end());
  for (int i = 0; i < 2; ++i) inputs.push_back(writer.tensor(floats({1, 1}, {})));
  const int32_t result = writer.tensor(made.result);
  writer.output(result);
  format::UnidirectionalSequenceLSTMOptionsT options;
  options.activation = format::Activation::TANH;
  options.time_major = is_time_major;
  options.cell_clip = cell_clip;
  writer.add(UNIDIRECTIONAL_SEQUENCE_LSTM, inputs, {result}, with(options));
  made.file = writer.finish();
  return made;
}

TEST(Lstm, WalksOneWay) { check_one_way(unidirectional(false)); }
TEST(Lstm, WalksOneWayWithTheTimeFirst) { check_one_way(unidirectional(true)); }
TEST(Lstm, ClipsCells) { check_one_way(unidirectional(false, false, 0.1f)); }

// Input, states and result have 16 bits, weights 8, biases 64 in units of the input's and the weights'
// scales.
TEST(Lstm, WalksWithValuesOf16Bits) {
  const auto wide = [](Shape shape, std::vector<double> values, float scale) {
    return Operand{TensorType::INT16, std::move(shape), std::move(values), {scale}, {0}};
  };
  const auto codes = [](std::vector<double> values, double scale) {
    for (double& value : values) value = std::round(value / scale);
    return values;
  };
  constexpr float kStep = 1.0f / 16384, kWeight = 1.0f / 64;
  const Operand x = wide({1, 3, 1}, codes(kSteps, 4 * kStep), 4 * kStep),
                y = wide({1, 3, 1}, codes(walk(kForward, kSteps), kStep), kStep);
  TfliteWriter writer;
  std::vector<int32_t> inputs{writer.input(x)};
  for (const double* gates : {kForward.input, kForward.recurrent})
    for (const double weight : std::span(gates, 4))
      inputs.push_back(writer.tensor(constant(int8({1, 1}, codes({weight}, kWeight), kWeight, 0))));
  inputs.insert(inputs.end(), 3, -1);
  for (const double bias : kForward.bias)
    inputs.push_back(writer.tensor(constant(longs({1}, codes({bias}, 4 * double{kStep} * kWeight)))));
  inputs.insert(inputs.end(), 2, -1);
  for (int i = 0; i < 2; ++i) inputs.push_back(writer.tensor(wide({1, 1}, {}, kStep)));
  const int32_t result = writer.tensor(y);
  writer.output(result);
  format::UnidirectionalSequenceLSTMOptionsT options;
  options.activation = format::Activation::TANH;
  writer.add(UNIDIRECTIONAL_SEQUENCE_LSTM, inputs, {result}, with(options));
  const auto got = run(writer.finish(), {x}, {y});
  ASSERT_EQ(got.size(), 1u);
  for (size_t i = 0; i < y.values.size(); ++i) EXPECT_NEAR(got[0][i], y.values[i], 1) << "element " << i;
}

TEST(Lstm, TakesBatchesOfAnySize) {
  RecurrentModel made = unidirectional(false, true);
  made.input.shape[0] = made.result.shape[0] = 2;
  for (Operand* operand : {&made.input, &made.result})
    operand->values.insert(operand->values.end(),
                           {operand->values[0], operand->values[1], operand->values[2]});
  check_one_way(made);
}

TEST(Lstm, WalksBothWays) {
  for (const bool is_merged : {false, true}) {
    TfliteWriter writer;
    const Operand input = floats({3, 1, 1}, kSteps);
    std::vector<int32_t> inputs{writer.input(input)};
    for (const Cell& cell : {kForward, kBackward}) {
      const auto ids = weights(writer, cell);
      inputs.insert(inputs.end(), ids.begin(), ids.end());
    }
    for (int i = 0; i < 4; ++i) inputs.push_back(writer.tensor(floats({1, 1}, {})));
    const std::vector<double> forward = walk(kForward, kSteps), backward = walk_back(kBackward);
    std::vector<Operand> results{floats({3, 1, 1}, forward), floats({3, 1, 1}, backward)};
    if (is_merged)
      results = {
          floats({3, 1, 2}, {forward[0], backward[0], forward[1], backward[1], forward[2], backward[2]})};
    std::vector<int32_t> outputs;
    for (const Operand& result : results) {
      outputs.push_back(writer.tensor(result));
      writer.output(outputs.back());
    }
    format::BidirectionalSequenceLSTMOptionsT options;
    options.activation = format::Activation::TANH;
    options.merge_outputs = is_merged;
    writer.add(BIDIRECTIONAL_SEQUENCE_LSTM, inputs, outputs, with(options));
    check_run(writer.finish(), {input}, results, {}, 1e-5);
  }
}

}  // namespace
}  // namespace nnrt::test
