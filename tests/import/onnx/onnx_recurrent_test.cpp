#include "tests/import/onnx/onnx_runs.h"

#include <neural_network_runtime/nnrt_operators.h>

#include <gtest/gtest.h>

#include <cmath>

namespace nnrt::test {
namespace {

constexpr int64_t kSteps = 4, kInputs = 2, kHidden = 3;

OnnxModel layer(const std::string& type, int64_t gates, int64_t directions, const Names& more = {}) {
  const std::vector<float> w(size_t(directions * gates * kHidden * kInputs)),
      r(size_t(directions * gates * kHidden * kHidden));
  OnnxModel model = OnnxModel().input("x", {kSteps, -1, kInputs});
  model.floats("w", {directions, gates * kHidden, kInputs}, w);
  model.floats("r", {directions, gates * kHidden, kHidden}, r);
  Names inputs{"x", "w", "r"};
  inputs.insert(inputs.end(), more.begin(), more.end());
  return model.node(type, inputs, {"y", "last"}).output("y").output("last");
}

const import::Operation* find(const import::Network& network, Op type) {
  const auto found = std::ranges::find(network.operations, type, &import::Operation::type);
  return found == network.operations.end() ? nullptr : &*found;
}

TEST(OnnxRecurrent, GruHasItsDirectionsAsParameter) {
  const std::pair<const char*, int> kDirections[] = {{"forward", 0}, {"reverse", 1}, {"bidirectional", 2}};
  for (const auto& [name, value] : kDirections) {
    const int64_t directions = value == 2 ? 2 : 1;
    const import::Network network = layer("GRU", 3, directions)
                                        .with("direction", std::string(name))
                                        .with("linear_before_reset", int64_t{1})
                                        .network();
    const import::Operation* const gru = find(network, Op::gru);
    ASSERT_NE(gru, nullptr);
    EXPECT_EQ(gru->attributes.integer(Attr::direction), value);
    EXPECT_EQ(gru->attributes.integer(Attr::linear_before_reset), 1);
    const auto& tensors = network.tensors;
    const auto& outputs = network.outputs;
    const auto count = static_cast<int32_t>(directions);
    EXPECT_EQ(tensors[outputs[0]].shape, (import::Shape{kSteps, count, -1, kHidden}));
    EXPECT_EQ(tensors[outputs[1]].shape, (import::Shape{count, -1, kHidden}));
  }
}

TEST(OnnxRecurrent, RnnMayRectify) {
  OnnxModel model = layer("RNN", 1, 1);
  onnx_file::AttributeProto& functions = *model.graph().mutable_node(0)->add_attribute();
  functions.set_name("activations");
  functions.add_strings("Relu");
  const import::Network network = model.network();
  EXPECT_EQ(find(network, Op::rnn)->attributes.integer(Attr::mode), 1);
  const import::Network plain = layer("RNN", 1, 1).network();
  EXPECT_EQ(find(plain, Op::rnn)->attributes.integer(Attr::mode), 0);
  functions.set_strings(0, "Square");
  EXPECT_EQ(message(model.read()),
            "The function (Square) as a gate activation is not supported. While converting RNN (node 0).");
}

struct LayerKind {
  std::string type;
  int64_t gates;
};
const LayerKind kKinds[] = {{"LSTM", 4}, {"GRU", 3}, {"RNN", 1}};

constexpr int64_t kBatch = 2;

std::vector<float> waves(int64_t count, float step) {
  std::vector<float> numbers(static_cast<size_t>(count));
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = 0.5f * std::sin(step * static_cast<float>(i + 1));
  return numbers;
}

// A layer with nonzero weights over `steps`.
OnnxModel weighted(const LayerKind& kind, const std::string& direction, int64_t steps,
                   const Names& more = {}) {
  const int64_t directions = direction == "bidirectional" ? 2 : 1, rows = kind.gates * kHidden;
  OnnxModel model = OnnxModel(14).input("x", {steps, kBatch, kInputs});
  model.floats("w", {directions, rows, kInputs}, waves(directions * rows * kInputs, 0.7f));
  model.floats("r", {directions, rows, kHidden}, waves(directions * rows * kHidden, 1.3f));
  model.floats("b", {directions, 2 * rows}, waves(directions * 2 * rows, 2.1f));
  Names inputs{"x", "w", "r", "b"};
  inputs.insert(inputs.end(), more.begin(), more.end());
  return model.node(kind.type, inputs, {"y", "last"}).with("direction", direction).output("y").output("last");
}

std::vector<Value> run_layer(const OnnxModel& model, const std::vector<Value>& inputs, int64_t steps,
                             int64_t directions) {
  const auto s = static_cast<int32_t>(steps), d = static_cast<int32_t>(directions);
  return run_on_cpu(model, inputs,
                    {{s, d, int32_t{kBatch}, int32_t{kHidden}}, {d, int32_t{kBatch}, int32_t{kHidden}}})
      .value();
}

void expect_near(const Value& got, const Value& want) {
  const auto a = elements_of<float>(got), b = elements_of<float>(want);
  ASSERT_EQ(a.size(), b.size());
  ASSERT_FALSE(a.empty());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-5f) << i;
}

// A clip bound that is never reached forces unrolling.
TEST(OnnxRecurrent, StepsMatchLayer) {
  const Value x =
      value_of({int32_t{kSteps}, int32_t{kBatch}, int32_t{kInputs}}, waves(kSteps * kBatch * kInputs, 0.9f));
  for (const LayerKind& kind : kKinds) {
    for (const std::string direction : {"forward", "reverse", "bidirectional"}) {
      SCOPED_TRACE(kind.type + " " + direction);
      const int64_t directions = direction == "bidirectional" ? 2 : 1;
      const auto plain = run_layer(weighted(kind, direction, kSteps), {x}, kSteps, directions);
      const auto steps =
          run_layer(weighted(kind, direction, kSteps).with("clip", 1e6), {x}, kSteps, directions);
      expect_near(steps[0], plain[0]);
      expect_near(steps[1], plain[1]);
    }
  }
  const auto linear = [&](OnnxModel model) {
    return run_layer(model.with("linear_before_reset", int64_t{1}), {x}, kSteps, 1);
  };
  const auto plain = linear(weighted(kKinds[1], "forward", kSteps));
  const auto steps = linear(weighted(kKinds[1], "forward", kSteps).with("clip", 1e6));
  expect_near(steps[0], plain[0]);
}

// The second sequence ends after two steps and must match running it alone.
TEST(OnnxRecurrent, RespectsSequenceLengths) {
  constexpr int64_t kShort = 2;
  const auto numbers = waves(kSteps * kBatch * kInputs, 0.9f);
  const Value x = value_of({int32_t{kSteps}, int32_t{kBatch}, int32_t{kInputs}}, numbers);
  const Value head =
      value_of({int32_t{kShort}, int32_t{kBatch}, int32_t{kInputs}},
               std::vector<float>(numbers.begin(), numbers.begin() + kShort * kBatch * kInputs));
  const Value lengths = value_of({int32_t{kBatch}}, std::vector<int32_t>{int32_t{kSteps}, int32_t{kShort}});
  for (const LayerKind& kind : kKinds) {
    for (const std::string direction : {"forward", "reverse"}) {
      SCOPED_TRACE(kind.type + " " + direction);
      OnnxModel fed = weighted(kind, direction, kSteps, {"lengths"});
      fed.input("lengths", {kBatch}, OnnxModel::kInt32);
      const auto both = run_layer(fed, {x, lengths}, kSteps, 1);
      const auto whole = run_layer(weighted(kind, direction, kSteps), {x}, kSteps, 1);
      const auto cut = run_layer(weighted(kind, direction, kShort), {head}, kShort, 1);
      const auto last = elements_of<float>(both[1]), last_whole = elements_of<float>(whole[1]),
                 last_cut = elements_of<float>(cut[1]), y = elements_of<float>(both[0]);
      ASSERT_EQ(last.size(), size_t{kBatch * kHidden});
      for (size_t i = 0; i < size_t{kHidden}; ++i) {
        EXPECT_NEAR(last[i], last_whole[i], 1e-5f);
        EXPECT_NEAR(last[kHidden + i], last_cut[kHidden + i], 1e-5f);
        EXPECT_EQ(y[kShort * kBatch * kHidden + kHidden + i], 0.0f);  // past its end
      }
    }
  }
}

// A layer over all steps, masked, against single steps. The number of steps and the batch are dynamic.
TEST(OnnxRecurrent, LayersWithLengthsMatchSteps) {
  constexpr auto kShape = [](int64_t a, int64_t b, int64_t c) {
    return import::Shape{int32_t(a), int32_t(b), int32_t(c)};
  };
  auto numbers = waves(kSteps * 3 * kInputs, 0.9f);
  numbers.back() = std::nanf("");  // after the end of the last sequence
  const Value x = value_of(kShape(kSteps, 3, kInputs), numbers),
              lengths = value_of({3}, std::vector<int32_t>{int32_t{kSteps}, 1, 2});
  for (const LayerKind& kind : kKinds) {
    for (const std::string direction : {"forward", "reverse", "bidirectional"}) {
      const int64_t directions = direction == "bidirectional" ? 2 : 1;
      const Value state = value_of(kShape(directions, 3, kHidden), waves(directions * 3 * kHidden, 1.7f));
      std::vector<Value> results[2];
      for (const bool by_steps : {false, true}) {
        OnnxModel model = weighted(kind, direction, by_steps ? kSteps : -1, {"lengths", "state"});
        onnx_file::NodeProto& node = *model.graph().mutable_node(0);
        if (kind.gates == 4) {
          node.add_input("state");
          node.add_output("cell");
          model.output("cell");
        }
        model.graph()
            .mutable_input(0)
            ->mutable_type()
            ->mutable_tensor_type()
            ->mutable_shape()
            ->mutable_dim(1)
            ->clear_dim_value();
        if (by_steps) model.with("clip", 1e6);
        model.input("lengths", {3}, OnnxModel::kInt32).input("state", {directions, 3, kHidden});
        std::vector<import::Shape> shapes{{int32_t{kSteps}, int32_t(directions), 3, int32_t{kHidden}},
                                          state.shape};
        if (kind.gates == 4) shapes.push_back(state.shape);
        auto made = run_on_cpu(model, {x, lengths, state}, shapes).value();
        results[by_steps ? 1 : 0] = std::move(made);
      }
      SCOPED_TRACE(kind.type + " " + direction);
      for (size_t i = 0; i < results[0].size(); ++i) expect_near(results[0][i], results[1][i]);
    }
  }
}

TEST(OnnxRecurrent, SequencesMayBeEmpty) {
  const Value x = value_of({int32_t{kSteps}, int32_t{kBatch}, int32_t{kInputs}},
                           waves(kSteps * kBatch * kInputs, 0.9f)),
              state = value_of({1, int32_t{kBatch}, int32_t{kHidden}}, waves(kBatch * kHidden, 1.7f));
  OnnxModel model = weighted(kKinds[1], "forward", kSteps, {"lengths", "state"});
  model.input("lengths", {kBatch}, OnnxModel::kInt32).input("state", {1, kBatch, kHidden});
  const auto results =
      run_layer(model, {x, value_of({int32_t{kBatch}}, std::vector<int32_t>{1, 0}), state}, kSteps, 1);
  const auto last = elements_of<float>(results[1]), start = elements_of<float>(state);
  ASSERT_EQ(last.size(), start.size());
  for (size_t i = 0; i < size_t{kHidden}; ++i) EXPECT_EQ(last[kHidden + i], start[kHidden + i]);
}

TEST(OnnxRecurrent, ClipsBeforeFunctions) {
  OnnxModel model = OnnxModel(14).input("x", {1, 1, 1});
  model.floats("w", {1, 1, 1}, {1}).floats("r", {1, 1, 1}, {0});
  model.node("RNN", {"x", "w", "r"}).with("clip", 0.5);
  const List<Value> results = results_of(model, {value_of({1, 1, 1}, std::vector<float>{3})}, {{1, 1, 1, 1}});
  EXPECT_NEAR(elements_of<float>(results[0])[0], std::tanh(0.5f), 1e-6f);
}

TEST(OnnxRecurrent, PeepholesSeeTheCell) {
  OnnxModel model = OnnxModel(14).input("x", {1, 1, 1});
  model.floats("w", {1, 4, 1}, {0, 0, 0, 0}).floats("r", {1, 4, 1}, {0, 0, 0, 0});
  model.floats("h", {1, 1, 1}, {0}).floats("c", {1, 1, 1}, {2}).floats("p", {1, 3}, {0.5f, -1, 0.25f});
  model.node("LSTM", {"x", "w", "r", "", "", "h", "c", "p"});
  const List<Value> results = results_of(model, {value_of({1, 1, 1}, std::vector<float>{1})}, {{1, 1, 1, 1}});
  const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  const double c = sigmoid(0.25 * 2) * 2;  // the cell gate is tanh(0)
  EXPECT_NEAR(elements_of<float>(results[0])[0], sigmoid(-c) * std::tanh(c), 1e-6);
}

TEST(OnnxRecurrent, RejectsMissingDirection) {
  EXPECT_EQ(message(layer("GRU", 3, 1).with("direction", std::string("bidirectional")).read()),
            "Input 1 is of 1 directions instead of 2. While converting GRU (node 0).");
}

TEST(OnnxRecurrent, RejectsDynamicStepCount) {
  OnnxModel model = OnnxModel().input("x", {-1, 1, 1});
  model.floats("w", {1, 1, 1}, {1}).floats("r", {1, 1, 1}, {0});
  EXPECT_EQ(message(model.node("RNN", {"x", "w", "r"}).with("clip", 0.5).read()),
            "The number of steps or the size of the state is known only at run time. While converting RNN "
            "(node 0).");
}

}  // namespace
}  // namespace nnrt::test
