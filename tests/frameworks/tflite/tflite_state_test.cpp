// Operators that keep state in variable tensors, in the interpreter with and without the delegate.
#include "tests/frameworks/tflite/session_test.h"

#include <cmath>

namespace nnrt::test {
namespace {

using enum tiny_format::BuiltinOperator;
using tiny_format::Activation;
using Union = tiny_format::BuiltinOptionsUnion;

constexpr int32_t kBatch = 2, kSteps = 3, kWidth = 3, kUnits = 4;

// Weights of small networks: the values must not saturate.
std::vector<float> drawn(size_t count, float start) {
  std::vector<float> values;
  for (size_t i = 0; i < count; ++i) values.push_back(0.5f * std::sin(static_cast<float>(i) * 2.3f + start));
  return values;
}

int32_t weights(TinyModel& model, const std::vector<int32_t>& shape, float start) {
  size_t count = 1;
  for (const int32_t dimension : shape) count *= static_cast<size_t>(dimension);
  return model.constant(shape, drawn(count, start));
}

template <typename Options>
Union with(Options options) {
  Union result;
  result.Set(std::move(options));
  return result;
}

void append(std::vector<int32_t>& all, std::vector<int32_t> some) {
  all.insert(all.end(), some.begin(), some.end());
}

// A model with an operator over the state, between two others.
struct Model {
  TinyModel file;
  const int32_t x;
  std::vector<int32_t> inputs;

  explicit Model(const std::vector<int32_t>& shape) : x(file.input(file.floats(shape))) {
    inputs = {file.floats(shape)};
    file.add(TANH, {x}, {inputs[0]});
  }
  void finish(tiny_format::BuiltinOperator code, Union options,
              const std::vector<std::vector<int32_t>>& results) {
    std::vector<int32_t> outputs;
    for (const auto& shape : results) outputs.push_back(file.floats(shape));
    file.add(code, inputs, outputs, std::move(options));
    for (size_t i = 0; i < results.size(); ++i) {
      file.output(file.floats(results[i]));
      file.add(NEG, {outputs[i]}, {file.last_output()});
    }
  }
};

void add_cell(Model& model, float start) {
  append(model.inputs,
         {weights(model.file, {kUnits, kWidth}, start), weights(model.file, {kUnits, kUnits}, start + 1),
          weights(model.file, {kUnits}, start + 2), model.file.variable({kBatch, kUnits})});
}

void add_gates(Model& model, float start) {
  for (const int32_t columns : {kWidth, kUnits})
    for (int i = 0; i < 4; ++i) append(model.inputs, {weights(model.file, {kUnits, columns}, start++)});
  append(model.inputs, {-1, -1, -1});  // peepholes
  for (int i = 0; i < 4; ++i) append(model.inputs, {weights(model.file, {kUnits}, start++)});
  append(model.inputs, {-1, -1});  // projection
}

void add_states(Model& model, int count) {
  for (int i = 0; i < count; ++i) append(model.inputs, {model.file.variable({kBatch, kUnits})});
}

std::string svdf(const std::string& path, int32_t rank, int32_t memory) {
  Model model({kBatch, kWidth});
  const int32_t filters = kUnits * rank;
  append(model.inputs, {weights(model.file, {filters, kWidth}, 1), weights(model.file, {filters, memory}, 2),
                        weights(model.file, {kUnits}, 3), model.file.variable({kBatch, filters * memory})});
  tiny_format::SVDFOptionsT options;
  options.rank = rank;
  options.activation = Activation::RELU;
  model.finish(SVDF, with(options), {{kBatch, kUnits}});
  return model.file.write(path);
}

std::string rnn_step(const std::string& path) {
  Model model({kBatch, kWidth});
  add_cell(model, 1);
  tiny_format::RNNOptionsT options;
  options.activation = Activation::TANH;
  model.finish(RNN, with(options), {{kBatch, kUnits}});
  return model.file.write(path);
}

struct Order {
  std::vector<int32_t> input, result;
};
Order order_of(bool is_time_major, int32_t units) {
  if (is_time_major) return {{kSteps, kBatch, kWidth}, {kSteps, kBatch, units}};
  return {{kBatch, kSteps, kWidth}, {kBatch, kSteps, units}};
}

std::string rnn_sequence(const std::string& path, bool is_time_major) {
  const Order order = order_of(is_time_major, kUnits);
  Model model(order.input);
  add_cell(model, 1);
  tiny_format::SequenceRNNOptionsT options;
  options.time_major = is_time_major;
  options.activation = Activation::RELU;
  model.finish(UNIDIRECTIONAL_SEQUENCE_RNN, with(options), {order.result});
  return model.file.write(path);
}

std::vector<std::vector<int32_t>> results_of(const Order& order, bool is_merged) {
  return std::vector<std::vector<int32_t>>(is_merged ? 1 : 2, order.result);
}

std::string rnn_both_ways(const std::string& path, bool is_time_major, bool is_merged) {
  const Order order = order_of(is_time_major, is_merged ? 2 * kUnits : kUnits);
  Model model(order.input);
  add_cell(model, 1);
  add_cell(model, 5);
  append(model.inputs, {-1, -1, -1});  // auxiliary
  tiny_format::BidirectionalSequenceRNNOptionsT options;
  options.time_major = is_time_major;
  options.activation = Activation::TANH;
  options.merge_outputs = is_merged;
  model.finish(BIDIRECTIONAL_SEQUENCE_RNN, with(options), results_of(order, is_merged));
  return model.file.write(path);
}

std::string lstm(const std::string& path, bool is_time_major) {
  const Order order = order_of(is_time_major, kUnits);
  Model model(order.input);
  add_gates(model, 1);
  add_states(model, 2);
  tiny_format::UnidirectionalSequenceLSTMOptionsT options;
  options.activation = Activation::TANH;
  options.time_major = is_time_major;
  model.finish(UNIDIRECTIONAL_SEQUENCE_LSTM, with(options), {order.result});
  return model.file.write(path);
}

std::string lstm_both_ways(const std::string& path, bool is_time_major, bool is_merged) {
  const Order order = order_of(is_time_major, is_merged ? 2 * kUnits : kUnits);
  Model model(order.input);
  add_gates(model, 1);
  add_gates(model, 20);
  add_states(model, 4);
  append(model.inputs, std::vector<int32_t>(9, -1));  // auxiliary
  tiny_format::BidirectionalSequenceLSTMOptionsT options;
  options.activation = Activation::TANH;
  options.time_major = is_time_major;
  options.merge_outputs = is_merged;
  model.finish(BIDIRECTIONAL_SEQUENCE_LSTM, with(options), results_of(order, is_merged));
  return model.file.write(path);
}

class TfliteState : public SessionTest {};

// One run of both, with the same input.
void step(Session& expected, Session& got, unsigned seed) {
  for (Session* session : {&expected, &got}) {
    session->fill({}, seed);
    session->run();
  }
  EXPECT_LT(difference(expected, got).floats, 1e-5) << "run " << seed;
}

// Runs, a reset in between, and another interpreter with states of its own.
void check(const std::string& model, int nodes) {
  SCOPED_TRACE(model);
  const auto shared = delegate();
  Session expected(api(), model, nullptr), got(api(), model, shared), other(api(), model, shared);
  EXPECT_EQ(got.taken().nodes, nodes) << last_report();
  EXPECT_EQ(got.taken().partitions, 1);
  for (Session* session : {&expected, &got, &other}) session->allocate();
  for (unsigned seed = 1; seed < 5; ++seed) step(expected, got, seed);
  const std::vector<float> later = floats_of(got);
  for (Session* session : {&expected, &got}) session->reset_variables();
  for (unsigned seed = 4; seed < 7; ++seed) {
    step(expected, got, seed);
    if (seed == 4) {
      EXPECT_NE(floats_of(got), later) << "the model has no state";
      other.fill({}, seed);
      other.run();
      EXPECT_EQ(floats_of(other), floats_of(got));
    }
  }
}

TEST_F(TfliteState, SvdfContinues) {
  check(svdf(path("svdf1.tflite"), 1, 3), 3);
  check(svdf(path("svdf2.tflite"), 2, 4), 3);
}

TEST_F(TfliteState, RnnContinues) {
  check(rnn_step(path("rnn.tflite")), 3);
  for (const bool is_time_major : {false, true}) {
    check(rnn_sequence(path("rnn1.tflite"), is_time_major), 3);
    check(rnn_both_ways(path("rnn3.tflite"), is_time_major, true), 3);
  }
  // With the time first, version 2.9 exchanges dimensions of the second output.
  check(rnn_both_ways(path("rnn2.tflite"), false, false), 4);
}

TEST_F(TfliteState, LstmContinues) {
  for (const bool is_time_major : {false, true}) {
    check(lstm(path("lstm1.tflite"), is_time_major), 3);
    check(lstm_both_ways(path("lstm2.tflite"), is_time_major, false), 4);
  }
  // With the batch first, the interpreter misplaces the states of all but the first row.
  check(lstm_both_ways(path("lstm3.tflite"), true, true), 3);
}

// A memory of a single step remembers nothing.
TEST_F(TfliteState, SvdfOfOneStep) {
  const std::string model = svdf(path("svdf.tflite"), 2, 1);
  Session expected(api(), model, nullptr), got(api(), model, delegate());
  EXPECT_EQ(got.taken().nodes, 3);
  expected.allocate();
  got.allocate();
  for (unsigned seed = 1; seed < 3; ++seed) step(expected, got, seed);
}

}  // namespace
}  // namespace nnrt::test
