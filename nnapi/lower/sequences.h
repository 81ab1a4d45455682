// Parts that recurrent operations over sequences share.
#pragma once

#include "nnapi/lower/lstm_cell.h"

namespace nnrt::nnapi {

// A result in float32 as the client wants it; one that it does not ask for is dropped.
void set_float(Lowering& op, size_t i, const Value& value);

// The rows of a sequence in the order of time, [count * batch, length], in float32.
struct Steps {
  Value rows;
  int64_t count = 1, batch = 1;
};
Steps steps_of(Lowering& op, size_t input, bool is_time_major);

// [steps, batch, units] as the client has it.
Value ordered(GraphWriter& graph, const Value& outputs, bool is_time_major);

// The auxiliary input of both directions: with weights of its own it is added to both; without, the second
// direction reads it instead of the input.
struct Auxiliary {
  OptionalValue added, instead;
};
Auxiliary auxiliary_of(Lowering& op, size_t input, const std::vector<size_t>& weights, bool is_time_major);

// Outputs of both directions, joined where the client wants it, then the last states, if it takes them.
struct Directions {
  Value forward, backward;
};
void set_directions(Lowering& op, const Directions& outputs, bool merges, const std::vector<Value>& states);

}  // namespace nnrt::nnapi
