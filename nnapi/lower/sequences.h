// Helpers for recurrent operations over sequences.
#pragma once

#include "nnapi/lower/lstm_cell.h"

namespace nnrt::nnapi {

// Sets a result from float32; unrequested results are dropped.
void set_float(Lowering& op, size_t i, const Value& value);

// The rows of a sequence in time-major order, [count * batch, length], in float32.
struct Steps {
  Value rows;
  int64_t count = 1, batch = 1;
};
Steps steps_of(Lowering& op, size_t input, bool is_time_major);

// Converts [steps, batch, units] to the client's order.
Value ordered(GraphWriter& graph, const Value& outputs, bool is_time_major);

// The auxiliary input of both directions: with weights of its own it is added in both; otherwise it replaces
// the input of the backward direction.
struct Auxiliary {
  OptionalValue added, instead;
};
Auxiliary auxiliary_of(Lowering& op, size_t input, const std::vector<size_t>& weights, bool is_time_major);

// Sets the outputs of both directions, merged if requested, followed by the final states, if requested.
struct Directions {
  Value forward, backward;
};
void set_directions(Lowering& op, const Directions& outputs, bool merges, const std::vector<Value>& states);

}  // namespace nnrt::nnapi
