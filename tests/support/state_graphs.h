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

// A key/value cache of 3 positions for 2 heads, [1, 2, 3, 4], of which a run replaces one position, which is
// computed; ATTENTION reads the new cache.
inline StateGraph replaced_position() {
  GraphMaker make;
  const TensorId state = make.input({1, 2, 3, 4}), x = make.input({1, 4});
  const TensorId axis = make.parameter<int64_t>(10, DType::i64, {0});
  const TensorId rows = make.op(Op::concat, {x, make.op(Op::neg, {x}, {1, 4})}, {2, 4}, {axis});
  const TensorId signs = make.op(Op::sign, {x}, {1, 4});
  const TensorId sum = make.op(Op::reduce_sum, {signs, make.ints({1})}, {1});  // 1 for all x of run_state()
  const TensorId position = make.op(Op::cast, {sum, make.ints({int32_t(DType::i64)})}, {1}, {}, DType::i64);
  const auto number = [&](int64_t value) { return make.constant<int64_t>({1}, DType::i64, {value}); };
  const TensorId numbers = make.op(
      Op::concat, {number(0), number(0), position, number(0), number(1), position}, {6}, {axis}, DType::i64);
  const TensorId places = make.op(Op::reshape, {numbers, make.ints({2, 3})}, {2, 3}, {}, DType::i64);
  const TensorId next = make.op(Op::scatter_nd_update, {state, places, rows}, {1, 2, 3, 4});
  const TensorId query = make.op(Op::reshape, {rows, make.ints({1, 2, 1, 4})}, {1, 2, 1, 4});
  return {"replaced_position",
          make.finish({next, make.op(Op::attention, {query, next, next}, {1, 2, 1, 4})})};
}

// Like replaced_row(), but chosen by comparing positions, as exporters without a scatter write it: a
// condition for each row, or for each element.
inline StateGraph chosen_row(bool by_element) {
  GraphMaker make;
  const TensorId state = make.input({6, 4}), x = make.input({1, 4});
  const TensorId signs = make.op(Op::sign, {x}, {1, 4});
  const TensorId sum = make.op(Op::reduce_sum, {signs, make.ints({1})}, {1});  // 1 for all x of run_state()
  const Shape shape{6, by_element ? 4 : 1};
  std::vector<float> rows(size_t(shape[0] * shape[1]));
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = float(i / size_t(shape[1]));
  const TensorId is_there = make.op(Op::equal, {make.floats(shape, rows), sum}, shape, {}, DType::boolean);
  return {by_element ? "chosen_elements" : "chosen_row",
          make.finish({make.op(Op::where, {is_there, x, state}, {6, 4})})};
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
