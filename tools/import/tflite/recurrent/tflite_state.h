// Sequences of recurrent operators, and the state they keep between runs.
#pragma once

#include "tools/import/tflite/tflite_operator.h"

#include <span>

namespace nnrt::import::tflite {

// Values of a constant, dequantized. `what` names it in errors: "weights of the input".
List<float> constant_floats(Operator& op, size_t i, std::string_view what);

// The state of a hosted graph in input i, as FLOAT32.
TensorId state_floats(Operator& op, size_t i);
// Emits an operation that writes the next state of input i.
void write_state(Operator& op, size_t i, Op type, List<TensorId> inputs, Settings settings = {});

// The state [directions, batch, hidden] before x [steps, batch, width]. `inputs`: the operator's input of
// each direction, [batch, hidden]; starts with zeros where these keep no state.
TensorId initial_state(Operator& op, TensorId x, std::span<const size_t> inputs, int32_t hidden);
// Keeps the state [directions, batch, hidden] for the next run.
void keep_state(Operator& op, std::span<const size_t> inputs, TensorId last);

struct Sequence {
  bool is_time_major = true, is_bidirectional = false, is_merged = false;

  int32_t directions() const { return is_bidirectional ? 2 : 1; }
  // One output per direction.
  bool is_split() const { return is_bidirectional && !is_merged; }
};

// Input 0 as [steps, batch, width].
TensorId sequence_operand(Operator& op, const Sequence& how);
// Where to write the result [steps, batch, directions * hidden]; pass it to deliver().
TensorId sequence_result(Operator& op, TensorId x, const Sequence& how, int32_t hidden);
void deliver(Operator& op, TensorId result, const Sequence& how);

}  // namespace nnrt::import::tflite
