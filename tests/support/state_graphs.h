// Graphs whose first input and first output are a state, for tests that update it in place.
#pragma once

#include "tests/support/graph_maker.h"
#include "tests/support/tensor_views.h"

#include <string>

namespace nnrt::test {

struct StateGraph {
  std::string name;
  GraphPtr graph;  // inputs: the state [6, 4] and x [1, 4]
};

// Replaces one row, as current key/value caches do.
inline StateGraph replaced_row() {
  GraphMaker make;
  const TensorId state = make.input({6, 4}), x = make.input({1, 4});
  const TensorId row = make.constant<int64_t>({1, 1}, DType::i64, {2});
  return {"replaced_row", make.finish({make.op(Op::scatter_nd_update, {state, row, x}, {6, 4})})};
}

// Each row depends on x and the previous new row; all rows are concatenated at the end.
inline StateGraph joined_rows() {
  GraphMaker make;
  const TensorId state = make.input({6, 4}), x = make.input({1, 4});
  std::vector<TensorId> rows;
  TensorId last = x;
  for (int32_t i = 0; i < 6; ++i) {
    const TensorId old = make.op(Op::slice, {state, make.ints({i, 0}), make.ints({1, 4})}, {1, 4});
    last = make.op(Op::tanh, {make.op(Op::add, {old, last}, {1, 4})}, {1, 4});
    rows.push_back(last);
  }
  const TensorId axis = make.parameter<int64_t>(10, DType::i64, {0});
  return {"joined_rows", make.finish({make.op(Op::concat, rows, {6, 4}, {axis})})};
}

// The state feeds a product; the softmax of that and x is the next state.
inline StateGraph mixed_rows() {
  GraphMaker make;
  const TensorId state = make.input({6, 4}), x = make.input({1, 4});
  std::vector<float> weights(16);
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = float(int(i % 5) - 2) / 4;
  const TensorId product = make.op(Op::matmul, {state, make.floats({4, 4}, weights)}, {6, 4});
  return {"mixed_rows",
          make.finish({make.op(Op::softmax, {make.op(Op::add, {product, x}, {6, 4})}, {6, 4})})};
}

// A product reads the state after the addition that computes the next one.
inline StateGraph read_afterwards() {
  GraphMaker make;
  const TensorId state = make.input({6, 4}), x = make.input({1, 4});
  const TensorId next = make.op(Op::tanh, {make.op(Op::add, {state, x}, {6, 4})}, {6, 4});
  const TensorId transposed = make.parameter<uint8_t>(34, DType::boolean, {1});
  return {"read_afterwards", make.finish({next, make.op(Op::matmul, {next, state}, {6, 6}, {transposed})})};
}

// Four runs, with the state alternating between two buffers or in place; returns the state after each.
inline std::vector<std::vector<float>> run_state(PreparedModel& model, const StateGraph& graph,
                                                 bool in_place) {
  std::vector<float> start(24);
  for (size_t i = 0; i < start.size(); ++i) start[i] = float(int(i % 7) - 3) / 8;
  TensorView read = view_of<float>({6, 4}, start);
  TensorView written = in_place ? read : empty_view(read.bytes, {6, 4});
  std::vector<std::vector<float>> states;
  for (int step = 0; step < 4; ++step) {
    const float value = float(step + 1) / 16;
    const std::vector inputs{read, view_of<float>({1, 4}, {value, -value, 2 * value, 0})};
    std::vector<OutputSlot> outputs{{written, false}};
    for (size_t i = 1; i < graph.graph->outputs.size(); ++i) outputs.push_back({{}, true});
    const Status status = model.run(inputs, outputs, {});
    EXPECT_TRUE(status.ok()) << status.error().message;
    states.push_back(values_of<float>(written));
    if (!in_place) std::swap(read, written);
  }
  return states;
}

}  // namespace nnrt::test
