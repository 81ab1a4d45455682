// Partitions with state, against the definitions of their operators.
#include "tests/frameworks/tflite/written_graph.h"
#include "tools/import/network/network_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

namespace nnrt::test {
namespace {

using enum BuiltinOperator;
using Values = std::vector<float>;

// A written model as one partition, whose states are kept from run to run.
class StatefulModel {
 public:
  explicit StatefulModel(TfliteWriter& writer) {
    tflite_plugin::HostGraph graph = host_graph_of(writer.model());
    auto planned = plan_partitions(graph, preview_of(graph, writer.model()), {});
    EXPECT_TRUE(planned.ok());
    EXPECT_EQ(graph.nodes[0].fault, "");
    if (planned.ok() && planned.value().size() == 1)
      partition_.emplace(partition_on_cpu(std::move(planned.value()[0])));
  }

  size_t states() const { return partition_ ? partition_->states().size() : 0; }
  Values run(const Values& x);
  void reset() { kept_.clear(); }

 private:
  std::optional<tflite_plugin::Partition> partition_;
  std::map<int32_t, Values> kept_;
};

Values StatefulModel::run(const Values& x) {
  if (!partition_) return {};
  const std::vector<import::Shape> shapes = partition_->planned_shapes();
  std::vector<Values> inputs;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const int32_t id = partition_->inputs()[i];
    const bool is_state = std::ranges::find(partition_->states(), id) != partition_->states().end();
    Values& kept = kept_[id];
    if (is_state && kept.empty()) kept.resize(import::element_count(shapes[i]).value());
    inputs.push_back(is_state ? kept : x);
  }
  const std::vector<Values> results = run_floats(*partition_, shapes, inputs);
  const size_t outputs = partition_->outputs().size();
  if (results.size() != outputs + states()) return {};
  for (size_t i = 0; i < states(); ++i) kept_[partition_->states()[i]] = results[outputs + i];
  Values all;
  for (size_t i = 0; i < outputs; ++i) all.insert(all.end(), results[i].begin(), results[i].end());
  return all;
}

void expect_near(const Values& got, const Values& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-5) << "element " << i;
}

int32_t variable(TfliteWriter& writer, Shape shape) {
  const int32_t number = writer.tensor(floats(std::move(shape), {}));
  writer.graph().tensors[static_cast<size_t>(number)]->is_variable = true;
  return number;
}

// Two filters per unit with three steps of memory; features are single numbers.
TEST(TfliteState, SvdfRemembersSteps) {
  TfliteWriter writer;
  const int32_t x = writer.input(floats({1, 1}, {})), y = writer.tensor(floats({1, 2}, {}));
  const int32_t weights = writer.tensor(constant(floats({4, 1}, {1, 2, 3, 4})));
  const int32_t time =
      writer.tensor(constant(floats({4, 3}, {1, 10, 100, 2, 20, 200, 3, 30, 300, 4, 40, 400})));
  const int32_t bias = writer.tensor(constant(floats({2}, {1, -1})));
  format::SVDFOptionsT options;
  options.rank = 2;
  writer.add(SVDF, {x, weights, time, bias, variable(writer, {1, 12})}, {y}, with(options));
  writer.output(y);
  StatefulModel model(writer);
  EXPECT_EQ(model.states(), 1u);
  // A step of 1 contributes 100 * 1 + 200 * 2 = 500 to the first unit and 300 * 3 + 400 * 4 = 2500 to the
  // second; a tenth of that in the next run, a hundredth in the one after, then nothing.
  expect_near(model.run({1}), {501, 2499});
  expect_near(model.run({0}), {51, 249});
  expect_near(model.run({2}), {1006, 5024});
  expect_near(model.run({0}), {101, 499});
  model.reset();
  expect_near(model.run({1}), {501, 2499});
}

struct Cell {
  float input, recurrent, bias;
};
constexpr Cell kForward{0.5f, -0.25f, 0.1f}, kBackward{1, 0.5f, -0.1f};

void walk(const Cell& cell, float& state, float& step) {
  step = state = std::tanh(cell.input * step + cell.recurrent * state + cell.bias);
}

void add_cell(TfliteWriter& writer, std::vector<int32_t>& inputs, const Cell& cell) {
  inputs.push_back(writer.tensor(constant(floats({1, 1}, {cell.input}))));
  inputs.push_back(writer.tensor(constant(floats({1, 1}, {cell.recurrent}))));
  inputs.push_back(writer.tensor(constant(floats({1}, {cell.bias}))));
  inputs.push_back(variable(writer, {1, 1}));
}

TEST(TfliteState, RnnStepsContinue) {
  TfliteWriter writer;
  std::vector<int32_t> inputs{writer.input(floats({1, 1}, {}))};
  const int32_t y = writer.tensor(floats({1, 1}, {}));
  add_cell(writer, inputs, kForward);
  format::RNNOptionsT options;
  options.activation = format::Activation::TANH;
  writer.add(RNN, inputs, {y}, with(options));
  writer.output(y);
  StatefulModel model(writer);
  float state = 0;
  for (float x : {1.0f, -0.5f, 2.0f}) {
    const Values got = model.run({x});
    walk(kForward, state, x);
    expect_near(got, {x});
  }
}

// Each run walks its two steps both ways; each direction starts where it ended in the run before.
TEST(TfliteState, BothDirectionsContinue) {
  TfliteWriter writer;
  std::vector<int32_t> inputs{writer.input(floats({1, 2, 1}, {}))};
  const int32_t forward = writer.tensor(floats({1, 2, 1}, {})),
                backward = writer.tensor(floats({1, 2, 1}, {}));
  add_cell(writer, inputs, kForward);
  add_cell(writer, inputs, kBackward);
  format::BidirectionalSequenceRNNOptionsT options;
  options.activation = format::Activation::TANH;
  writer.add(BIDIRECTIONAL_SEQUENCE_RNN, inputs, {forward, backward}, with(options));
  writer.output(forward);
  writer.output(backward);
  StatefulModel model(writer);
  EXPECT_EQ(model.states(), 2u);
  float before = 0, behind = 0;
  for (const auto& x : {Values{1, -0.5f}, Values{2, 0.25f}, Values{-1, 1}}) {
    Values there = x, back = x;
    for (size_t i = 0; i < 2; ++i) walk(kForward, before, there[i]);
    for (size_t i = 2; i-- > 0;) walk(kBackward, behind, back[i]);
    expect_near(model.run(x), {there[0], there[1], back[0], back[1]});
  }
}

// Two operators over one state would overwrite each other's.
TEST(TfliteState, IsNotShared) {
  TfliteWriter writer;
  const int32_t x = writer.input(floats({1, 1}, {}));
  std::vector<int32_t> first{x};
  add_cell(writer, first, kForward);
  std::vector<int32_t> second = first;
  second[0] = writer.tensor(floats({1, 1}, {}));
  const int32_t y = writer.tensor(floats({1, 1}, {}));
  format::RNNOptionsT options;
  options.activation = format::Activation::TANH;
  writer.add(RNN, first, {second[0]}, with(options));
  writer.add(RNN, second, {y}, with(options));
  writer.output(y);
  tflite_plugin::HostGraph graph = host_graph_of(writer.model());
  EXPECT_TRUE(plan_partitions(graph, preview_of(graph, writer.model()), {}).ok());
  EXPECT_EQ(graph.nodes[0].fault, "");
  EXPECT_EQ(graph.nodes[1].fault, "shares its state with another operator.");
}

}  // namespace
}  // namespace nnrt::test
