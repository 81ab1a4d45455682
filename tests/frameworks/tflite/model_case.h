// Inputs and expected outputs beside a model: cases/FILE/in_0.npy, or samples/NAME/0.in0.bin.
#pragma once

#include <string>
#include <vector>

namespace nnrt::test {

struct ModelCase {
  std::vector<std::string> inputs;   // bytes; empty: none
  std::vector<std::string> outputs;  // FLOAT32; empty: unknown
};

ModelCase case_of(const std::string& model);

// What the results of a model may differ by, for a reason that the table names.
struct Tolerance {
  double floats = 1e-4;  // of the largest magnitude
  double steps = 1;      // of integers
};
// Lines of "FILE FLOATS STEPS REASON"; others have the default.
Tolerance tolerance_of(const std::string& model, const std::string& table);

}  // namespace nnrt::test
