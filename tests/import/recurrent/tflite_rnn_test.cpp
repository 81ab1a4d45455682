#include "tests/import/recurrent/recurrent_case.h"

#include <algorithm>
#include <cmath>

namespace nnrt::test {
namespace {

using enum BuiltinOperator;

// Results of a plain RNN cell from a zero state.
std::vector<double> walk_plain(std::vector<double> steps, bool is_relu) {
  double state = 0;
  for (double& step : steps) {
    const double sum = 0.5 * step - 0.25 * state + 0.1;
    step = state = is_relu ? std::max(sum, 0.0) : std::tanh(sum);
  }
  return steps;
}

std::vector<int32_t> plain_cell(TfliteWriter& writer) {
  return {writer.tensor(constant(floats({1, 1}, {0.5}))), writer.tensor(constant(floats({1, 1}, {-0.25}))),
          writer.tensor(constant(floats({1}, {0.1}))), writer.tensor(floats({1, 1}, {}))};
}

RecurrentModel plain(bool is_time_major, format::Activation activation) {
  TfliteWriter writer;
  const bool is_relu = activation == format::Activation::RELU;
  RecurrentModel made{{}, floats({1, 3, 1}, kSteps), floats({1, 3, 1}, walk_plain(kSteps, is_relu))};
  if (is_time_major) made.input.shape = made.result.shape = {3, 1, 1};
  std::vector<int32_t> inputs{writer.input(made.input)};
  const auto cell = plain_cell(writer);
  inputs.insert(inputs.end(), cell.begin(), cell.end());
  const int32_t result = writer.tensor(made.result);
  writer.output(result);
  format::SequenceRNNOptionsT options;
  options.activation = activation;
  options.time_major = is_time_major;
  writer.add(UNIDIRECTIONAL_SEQUENCE_RNN, inputs, {result}, with(options));
  made.file = writer.finish();
  return made;
}

TEST(Rnn, WalksOneWay) {
  for (const bool is_time_major : {false, true}) {
    check_one_way(plain(is_time_major, format::Activation::TANH));
    check_one_way(plain(is_time_major, format::Activation::RELU));
  }
  EXPECT_NE(
      refusal(plain(false, format::Activation::RELU6).file).find("has an activation other than TANH or RELU"),
      std::string::npos);
}

std::vector<int32_t> backward_cell(TfliteWriter& writer) {
  return {writer.tensor(constant(floats({1, 1}, {1}))), writer.tensor(constant(floats({1, 1}, {0.5}))),
          writer.tensor(constant(floats({1}, {-0.1}))), writer.tensor(floats({1, 1}, {}))};
}

std::vector<double> walk_back() {
  std::vector<double> results(kSteps.size());
  double state = 0;
  for (size_t i = kSteps.size(); i-- > 0;) results[i] = state = std::tanh(kSteps[i] + 0.5 * state - 0.1);
  return results;
}

Bytes both_ways(const Operand& input, const std::vector<Operand>& results, bool is_merged,
                bool has_auxiliary) {
  TfliteWriter writer;
  std::vector<int32_t> inputs{writer.input(input)}, outputs;
  for (const auto& cell : {plain_cell(writer), backward_cell(writer)})
    inputs.insert(inputs.end(), cell.begin(), cell.end());
  if (has_auxiliary) inputs.push_back(inputs[0]);
  for (const Operand& result : results) {
    outputs.push_back(writer.tensor(result));
    writer.output(outputs.back());
  }
  format::BidirectionalSequenceRNNOptionsT options;
  options.activation = format::Activation::TANH;
  options.merge_outputs = is_merged;
  options.time_major = true;
  writer.add(BIDIRECTIONAL_SEQUENCE_RNN, inputs, outputs, with(options));
  return writer.finish();
}

TEST(Rnn, WalksBothWays) {
  const Operand input = floats({3, 1, 1}, kSteps);
  const std::vector<double> forward = walk_plain(kSteps, false), backward = walk_back();
  const std::vector<Operand> split{floats({3, 1, 1}, forward), floats({3, 1, 1}, backward)};
  const std::vector<Operand> merged{
      floats({3, 1, 2}, {forward[0], backward[0], forward[1], backward[1], forward[2], backward[2]})};
  for (const bool is_merged : {false, true}) {
    const std::vector<Operand>& results = is_merged ? merged : split;
    check_run(both_ways(input, results, is_merged, false), {input}, results, {}, 1e-5);
  }
  EXPECT_NE(refusal(both_ways(input, merged, true, true)).find("has auxiliary inputs"), std::string::npos);
  EXPECT_NE(refusal(both_ways(input, merged, false, false)).find("needs two outputs"), std::string::npos);
}

TEST(Rnn, TakesAStep) {
  TfliteWriter writer;
  RecurrentModel made{{}, floats({2, 1}, {1, -0.5}), floats({2, 1}, {std::tanh(0.6), std::tanh(-0.15)})};
  std::vector<int32_t> inputs{writer.input(made.input)};
  const auto cell = plain_cell(writer);
  inputs.insert(inputs.end(), cell.begin(), cell.end());
  const int32_t result = writer.tensor(made.result);
  writer.output(result);
  format::RNNOptionsT options;
  options.activation = format::Activation::TANH;
  writer.add(RNN, inputs, {result}, with(options));
  made.file = writer.finish();
  check_one_way(made);
}

}  // namespace
}  // namespace nnrt::test
