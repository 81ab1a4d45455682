// Draws operands: one function per group of operators with similar constraints.
#pragma once

#include "tests/support/random/random_node_draft.h"

#include <vector>

namespace nnrt::test {

struct Plan {
  void (*draw)(Draft&);
  std::vector<Op> ops;
};

// Operators without a plan have inputs of equal shape.
std::vector<Plan> operand_plans();        // matching shapes
std::vector<Plan> data_movement_plans();  // destinations of elements
std::vector<Plan> index_plans();          // contents that are positions, counts or dtypes
std::vector<Plan> element_index_plans();  // individually selected elements
std::vector<Plan> sampling_plans();       // kernels over any dimensions, and interpolation
std::vector<Plan> detection_plans();      // boxes within images, tables and hashes
std::vector<Plan> quantized_lstm_plans();

// Helpers shared by plans.
void draw_equal(Draft& draft);
// A shape that broadcasts to this one.
Shape degraded(Draft& draft, Shape shape);
// [n, h, w, c] in the dimension order of the format.
Shape in_order(const Draft& draft, int64_t n, int64_t h, int64_t w, int64_t c);

}  // namespace nnrt::test
