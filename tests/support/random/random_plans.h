// Draws the operands of operators: a function for each group of operators that hang together alike.
#pragma once

#include "tests/support/random/random_node_draft.h"

#include <vector>

namespace nnrt::test {

struct Plan {
  void (*draw)(Draft&);
  std::vector<Op> ops;
};

// Operators without a plan have inputs of equal shapes.
std::vector<Plan> operand_plans();        // shapes that fit each other
std::vector<Plan> data_movement_plans();  // the destinations of elements
std::vector<Plan> index_plans();          // contents that are positions, counts and dtypes
std::vector<Plan> element_index_plans();  // elements that are chosen one by one
std::vector<Plan> sampling_plans();       // kernels over any dimensions, and what is between elements
std::vector<Plan> detection_plans();      // boxes within pictures, tables and hashes
std::vector<Plan> quantized_lstm_plans();

// Helpers that plans share.
void draw_equal(Draft& draft);
// A shape that broadcasts to this one.
Shape degraded(Draft& draft, Shape shape);
// [n, h, w, c] in the order of the format.
Shape in_order(const Draft& draft, int64_t n, int64_t h, int64_t w, int64_t c);

}  // namespace nnrt::test
